"""A page in headless Chromium (Debian's), driven over its debugging protocol. Not here: what the page is of."""

import base64
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from websocket import WebSocket, create_connection

SECONDS_TO_START, SECONDS_TO_SHOW = 60, 60
PAUSE = 0.2
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
    "--remote-debugging-port=0", "--remote-allow-origins=*", "--window-size=1500,1100",
)  # fmt: skip


class Page:
    """One page. Text is what a person sees: innerText of the body."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._sent = 0

    def open(self, address: str) -> None:
        """Go to an address."""
        self._call("Page.navigate", url=address)

    def text(self) -> str:
        """The visible text."""
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def click(self, text: str) -> None:
        """Click the innermost element whose text is exactly this. Waits for it."""
        quoted = json.dumps(text)
        find = (
            "(() => { const found = [...document.querySelectorAll('a,button,span,div,td')]"
            f".filter(each => each.innerText && each.innerText.trim() === {quoted});"
            " if (!found.length) return false; found[found.length - 1].click(); return true; })()"
        )
        until(lambda: self.evaluate(find), f"{text!r} to click on", self.text)

    def shows(self, *expected: str) -> str:
        """Wait until all of these texts are visible; the whole text. Fails with what was visible instead."""
        until(lambda: all(each in self.text() for each in expected), f"the page to show {expected}", self.text)
        return self.text()

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """A picture of what is visible, as PNG."""
        answer = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(answer["data"]))

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        self._sent += 1
        self._socket.send(json.dumps({"id": self._sent, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._sent:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])


def until(
    holds: Callable[[], object], what: str, instead: Callable[[], str] = str, *, seconds: float = SECONDS_TO_SHOW
) -> None:
    """Ask again until it holds. Fails after a while, saying what was there instead."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}; there was: {instead()[-3000:]}")
        time.sleep(PAUSE)


@contextmanager
def browser_page(profile: Path) -> Iterator[Page]:
    """A page of a browser of its own, which ends with it. Skips where Chromium is absent."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Debian package chromium is absent: the UI was not looked at")
    with open(profile.with_suffix(".log"), "wb") as log:
        browser = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"], stdout=log, stderr=log,
        )  # fmt: skip
    try:
        socket = create_connection(_address_of_page(profile), timeout=SECONDS_TO_SHOW)
        yield Page(socket)
        socket.close()
    finally:
        browser.send_signal(signal.SIGTERM)
        browser.wait(timeout=SECONDS_TO_START)


def _address_of_page(profile: Path) -> str:
    port_file = profile / "DevToolsActivePort"
    until(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1, "Chromium's debugging port")
    with urlopen(f"http://127.0.0.1:{port_file.read_text().splitlines()[0]}/json/list") as answer:
        pages = [each for each in json.loads(answer.read()) if each["type"] == "page"]
    return str(pages[0]["webSocketDebuggerUrl"])
