"""Containers of a pod: what each asks for, when they started and finished, and which of them decided the end.

Not here: how many GPUs that is (the holds), and the pod's own conditions (kubernetes_pods.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chargeback.usage.kubernetes_fields import (
    as_json,
    earliest,
    entries,
    instant,
    latest,
    named,
    section,
    text,
    texts,
    truth,
)

MAIN, INIT, SIDECAR = "main", "init", "sidecar"


@dataclass(frozen=True, slots=True, order=True)
class Termination:
    """The end of a container for good. `finished` is None if the kubelet lost it."""

    exit_code: int
    reason: str
    finished: datetime | None


@dataclass(frozen=True, slots=True)
class ContainerState:
    """What the status says of a container: its first known start, whether it runs, how it ended."""

    name: str
    kind: str
    started: datetime | None
    is_running: bool
    ended: Termination | None


@dataclass(frozen=True, slots=True)
class PodEnd:
    """When the last container finished for good, and why; None and None while one may still run or nobody knows."""

    finished: datetime | None
    reason: str | None


def containers_json(spec: Mapping[str, Any]) -> str:
    """The containers as contracts.raw_pods.containers, in order: main ones, then init containers and sidecars."""
    return as_json([_asked(kind, container) for kind, container in _containers(spec)])


def has_terminal(spec: Mapping[str, Any]) -> bool:
    """Whether a main container has a terminal and standard input."""
    return any(truth(container, "tty") and truth(container, "stdin") for container in entries(spec, "containers"))


def container_states(spec: Mapping[str, Any], status: Mapping[str, Any]) -> list[ContainerState]:
    """The state of each container, in the order of the spec; of one without a status nothing is known."""
    said = {
        text(each, "name"): each
        for each in (*entries(status, "containerStatuses"), *entries(status, "initContainerStatuses"))
    }
    return [_state(kind, container, said.get(named(container, "name"), {})) for kind, container in _containers(spec)]


def main_started(states: Sequence[ContainerState]) -> datetime | None:
    """When the first main container started, as far as its status still shows it."""
    return earliest(state.started for state in states if state.kind == MAIN)


def end_of(states: Sequence[ContainerState]) -> PodEnd:
    """The end of a pod whose phase is Succeeded or Failed.

    It has one if nothing runs and every main container ended, or an init container failed for good so that none began.
    The container that decided it is the first that failed, else the last that finished.
    """
    mains = [state.ended for state in states if state.kind == MAIN]
    init_failed = any(state.ended and state.ended.exit_code for state in states if state.kind == INIT)
    is_over = bool(mains) and (all(mains) or init_failed) and not any(state.is_running for state in states)
    is_dated = all(each.finished for each in mains if each)
    if not is_over or not is_dated:
        return PodEnd(None, None)
    dated = sorted((each.finished, state.kind, each) for state in states if (each := state.ended) and each.finished)
    failed = [each for _, kind, each in dated if kind != SIDECAR and each.exit_code]
    of_mains = [each for _, kind, each in dated if kind == MAIN]
    decisive = (failed[:1] or of_mains[-1:] or [Termination(0, "", None)])[0]
    return PodEnd(latest(finished for finished, _, _ in dated), decisive.reason or None)


def _containers(spec: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    mains = [(MAIN, container) for container in entries(spec, "containers")]
    return mains + [
        (SIDECAR if text(container, "restartPolicy") == "Always" else INIT, container)
        for container in entries(spec, "initContainers")
    ]


def _asked(kind: str, container: Mapping[str, Any]) -> dict[str, object]:
    resources = section(container, "resources")
    claims = entries(resources, "claims")
    return {
        "name": named(container, "name"),
        "kind": kind,
        "limits": texts(resources, "limits"),
        "requests": texts(resources, "requests"),
        "claims": [{"name": named(claim, "name"), "request": text(claim, "request")} for claim in claims],
    }


def _state(kind: str, container: Mapping[str, Any], status: Mapping[str, Any]) -> ContainerState:
    now, before = section(status, "state"), section(status, "lastState")
    running, ended = section(now, "running"), section(now, "terminated")
    started = earliest(instant(each, "startedAt") for each in (running, ended, section(before, "terminated")))
    return ContainerState(
        name=named(container, "name"),
        kind=kind,
        started=started,
        is_running="running" in now and now["running"] is not None,
        ended=_termination(ended) if ended else None,
    )


def _termination(ended: Mapping[str, Any]) -> Termination:
    code = ended.get("exitCode", 0)
    if not isinstance(code, int) or isinstance(code, bool):
        raise ValueError(f"exitCode is {code!r}, not a whole number")
    reason = text(ended, "reason") or ("Error" if code else "Completed")
    return Termination(code, reason, instant(ended, "finishedAt"))
