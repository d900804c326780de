"""One UI and one browser for the tests of this folder, on two billed days."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.estates import Estate
from tests.ui.browser import Page, browser_page, until
from tests.ui.served_ui import ServedUi, started_ui


@pytest.fixture(scope="session")
def served(billed_estate: Estate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedUi]:
    """`chargeback ui` on a copy of the billed estate, answering. It has to end as a whole when it is asked to.

    Nothing moves by itself there, so that what is shown is what the bill did.
    """
    folder = tmp_path_factory.mktemp("ui")
    estate = billed_estate.copied_to(folder / "estate")
    with estate.config.open("a") as settings:
        settings.write("\n[automation]\nenabled = false\n")
    with started_ui(estate.folder, folder / "ui.log") as ui:
        until(ui.is_answering, "the web server to answer", ui.said, seconds=180)
        yield ui
        assert ui.end(signal.SIGTERM) == (0, set())


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A headless browser."""
    with browser_page(tmp_path_factory.mktemp("browser") / "profile") as page:
        yield page


@pytest.fixture
def picture(browser: Page, tmp_path: Path) -> Callable[[str], Path]:
    """Take a picture of what the browser shows; a copy goes to the folder $UI_PICTURES, if one is named."""

    def taken(name: str) -> Path:
        file = tmp_path / f"{name}.png"
        browser.screenshot(file)
        if "UI_PICTURES" in os.environ:
            shutil.copy(file, Path(os.environ["UI_PICTURES"]) / file.name)
        return file

    return taken
