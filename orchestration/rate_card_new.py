"""`chargeback rate-card new`: a card to fill in, for the accelerators in use, with what the lake already knows.

Costs are left empty on purpose: an invented figure might be signed. Read before they are filled in, the card is refused
with one line for each that is missing. Not here: the text of the card (rate_card_template.py).
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from rich.console import Console

from chargeback.billing_period import day_of
from chargeback.pricing.card_build_up import month_after
from chargeback.pricing.card_fields import MONTH
from chargeback.pricing.rate_card import VERSION, RateCard
from orchestration.accelerators_in_use import InUse, accelerators_in_use
from orchestration.local_files import refuse_without_folder
from orchestration.rate_card_template import Beginning, card_text
from orchestration.recovery import latest_carry_forward
from orchestration.workspace import workspace_here
from resources.setting_kinds import SettingsRefused

_ACCELERATOR = re.compile(r"[a-z0-9][a-z0-9.+-]*")


def write_new_card(
    path: Path, *, accelerators: Sequence[str], version: str | None, effective_from: str | None, config: Path | None
) -> None:
    """Write the card and say what to do next.

    Raises SettingsRefused if the file is there or its folder is not, nothing is in use and nothing was named, or a name
    is no accelerator.
    """
    now = datetime.now(UTC)
    refuse_without_folder(path)
    workspace = workspace_here(config)
    in_use, landed, currency, month = InUse(), [], "EUR", f"{now:%Y-%m}"
    fiscal_year, carried = "", dict[str, Decimal]()
    if workspace is not None:
        in_use, landed = accelerators_in_use(workspace), workspace.people.rate_cards()
        currency, month = workspace.settings.currency_code, day_of(now, workspace.settings.zone)[:7]
        fiscal_year, carried = latest_carry_forward(workspace, month)
    latest = max(landed, key=lambda card: card.order, default=None)
    chosen = _accelerators(accelerators, in_use)
    beginning = Beginning(
        version=_matching(version, VERSION, "--version", "numbers with dots, 2026.2") or _next_version(latest, month),
        effective_from=_matching(effective_from, MONTH, "--effective-from", "a month, 2026-11")
        or month_after(month, 1),
        currency=currency,
        supersedes=latest.version if latest else "",
        fiscal_year=fiscal_year,
        carry_forward=carried,
    )
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(card_text(beginning, chosen, in_use))
    except FileExistsError:
        raise SettingsRefused(f"{path} is there already and is not overwritten: give another name") from None
    console = Console(soft_wrap=True, highlight=False)
    known = sum(name in in_use.gpus for name in chosen)
    console.print(f"{path}: {', '.join(chosen)}; GPUs of {known} of {len(chosen)} known from the lake", markup=False)
    console.print(f"fill in the costs, then: chargeback rate-card explain {path}", markup=False)


def _accelerators(named: Sequence[str], in_use: InUse) -> list[str]:
    for name in named:
        if not _ACCELERATOR.fullmatch(name):
            raise SettingsRefused(
                f"--accelerator {name!r} is no accelerator: write the whole GPU as it is priced, h100-sxm5-80gb"
            )
    chosen = list(dict.fromkeys(named)) or sorted({*in_use.gpus, *in_use.profiles})
    if not chosen:
        raise SettingsRefused(
            "nothing is in use in a lake here: name what the card prices, --accelerator h100-sxm5-80gb"
        )
    return chosen


def _next_version(latest: RateCard | None, month: str) -> str:
    """One after the latest: 2026.1 -> 2026.2; the first of its year without one."""
    if latest is None:
        return f"{month[:4]}.1"
    *head, last = latest.version.split(".")
    return ".".join([*head, str(int(last) + 1)])


def _matching(given: str | None, form: re.Pattern[str], option: str, like: str) -> str:
    if given and not form.fullmatch(given):
        raise SettingsRefused(f"{option} is {given!r}, must be {like}")
    return given or ""
