"""The judge: limits hold or are broken with a sentence; nothing that goes wrong inside is ever a pass."""

from checks.expectations import judge


def test_metrics_within_their_limits_pass() -> None:
    verdict = judge("any_check", {"findings": 0, "records": 5}, {"findings": (0, 0), "records": (1, 10)})

    assert verdict.passed
    assert verdict.broken == ()


def test_a_metric_above_its_limit_fails_and_says_by_how_much() -> None:
    verdict = judge("any_check", {"findings": 3}, {"findings": (0, 2)})

    assert not verdict.passed
    assert verdict.broken == ("findings is 3, allowed is at most 2",)


def test_a_metric_below_its_limit_fails_and_says_by_how_much() -> None:
    verdict = judge("any_check", {"findings": 0, "records": 1}, {"findings": (0, 0), "records": (2, None)})

    assert not verdict.passed
    assert verdict.broken == ("records is 1, allowed is at least 2",)


def test_every_broken_limit_has_its_own_sentence() -> None:
    verdict = judge("any_check", {"findings": 1, "records": 1}, {"findings": (0, 0), "records": (2, 3)})

    assert len(verdict.broken) == 2


def test_a_metric_that_was_not_measured_fails_instead_of_passing_unseen() -> None:
    verdict = judge("any_check", {"findings": 0}, {"findings": (0, 0), "records": (1, None)})

    assert not verdict.passed
    assert verdict.broken == ("records was not measured",)


def test_an_exception_inside_an_expectation_fails_instead_of_passing() -> None:
    verdict = judge("any_check", {"findings": "none"}, {"findings": (0, 0)})  # type: ignore[dict-item]

    assert not verdict.passed
    assert len(verdict.broken) == 1
    assert verdict.broken[0].startswith("findings could not be judged: ")
