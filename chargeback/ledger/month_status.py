"""Where a month stands on its way from preview to hard close: each stage, when it is due, what is missing, who acts.

Not here: finding the facts out (orchestration/month_status.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

DONE, OPEN, WAITS, LATE = "done", "open", "waits", "late"


@dataclass(frozen=True, slots=True)
class MonthFacts:
    """What is known of a month. Lists say why a stage is not done, empty if it is.

    `ends`: its last day. `posted` and `to_post`: journal entries that stand in the finance system, and all that may.
    """

    month: str
    ends: date
    cut_off: date
    objections_until: date
    is_billed: bool
    why_not_certified: Sequence[str]
    open_objections: Sequence[str]
    why_parallel: Sequence[str]
    posted: int
    to_post: int
    is_closed: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its state, the day on which it is due (None: no day), what is missing, who must act."""

    name: str
    state: str
    due: date | None
    missing: str
    owner: str


def stages_of(facts: MonthFacts, *, today: date) -> list[Stage]:
    """The stages in their order. What waits for an earlier one says so; what is open after its day is late."""
    is_parallel = bool(facts.why_parallel)
    is_over = today > facts.ends
    wanted = [
        (
            "preview", facts.is_billed, None, "it was never billed: chargeback bill", "data platform team",
        ),
        (
            "cut-off", today > facts.cut_off, facts.cut_off, "late records are still taken in", "data platform team",
        ),
        (
            "certified", is_over and not facts.why_not_certified, facts.cut_off, _first(facts.why_not_certified),
            "chargeback gate says who",
        ),
        (
            "objections", today > facts.objections_until and not facts.open_objections, facts.objections_until,
            _first(facts.open_objections) or "teams may still object", "finance answers" if facts.open_objections
            else "team leads",
        ),
        (
            "posted", not is_parallel and facts.posted == facts.to_post, facts.objections_until,
            _first(facts.why_parallel) or f"{facts.to_post - facts.posted} of {facts.to_post} entries do not stand there: "
            "chargeback post", "finance",
        ),
        ("closed", facts.is_closed, None, "chargeback close", "controller"),
    ]  # fmt: skip
    stages: list[Stage] = []
    waits_for = ""
    for name, is_done, due, missing, owner in wanted:
        if is_done or (facts.is_closed and name != "posted"):
            stages.append(Stage(name, DONE, due, "", ""))
            continue
        if name == "posted" and is_parallel:
            stages.append(Stage(name, "parallel", None, missing, owner))
            continue
        is_late = due is not None and today > due
        state = WAITS if waits_for else LATE if is_late else OPEN
        stages.append(Stage(name, state, due, f"waits for {waits_for}" if waits_for else missing, owner))
        waits_for = waits_for or (name if name != "cut-off" else "")
    return stages


def _first(reasons: Sequence[str]) -> str:
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"{reasons[0]}{more}" if reasons else ""
