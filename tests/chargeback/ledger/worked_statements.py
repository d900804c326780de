"""The worked month's statements, for the tests of documents and pages."""

from collections.abc import Mapping

import polars as pl

from chargeback.ledger.capacity_totals import CAPACITY_TOTALS
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.exceptions import QUOTA, UNHELD
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.statement_document import CardMark, Coverage
from chargeback.ledger.statements import NO_TERMS, statement_rows
from chargeback.ledger.team_usage import ROWS_AT_ONCE
from chargeback.money import Currency
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.uncharged_runs import UNCHARGED
from tests.chargeback.ledger.measured_usage import measured_usage, sizes_of
from tests.chargeback.worked_month import A100, EUR, H100, SLICE, rated_usage, worked_lines

POLICIES = {"owners are found by": "account, then user", "suspended time": "charged"}
CARD_MARK = CardMark("2026.1", is_signed=False, sha256="ab" * 32, object_key="rate-cards/2026.1.yaml")
NEVER_STARTED = pl.DataFrame(
    [("NLP", "slurm-a", "111@2026-03-18T10:00:00Z", "111", "job111", "nlp-lab", "u2", "never started", 0)],
    schema=UNCHARGED,
    orient="row",
)


def worked_capacity() -> pl.DataFrame:
    """expected.json's conservation, as capacity totals."""
    rows = [
        (H100, "42796800", "2044801", "0", "691200", "0", "0", "0", "40060799", "0"),
        (A100, "21398400", "468000", "0", "0", "0", "0", "0", "20930400", "0"),
        (SLICE, "2674800", "259200/7", "0", "0", "0", "2674800/7", "0", "15789600/7", "0"),
    ]
    return pl.DataFrame(rows, schema=CAPACITY_TOTALS, orient="row")


def worked_statements(
    *,
    rated: pl.DataFrame | pl.LazyFrame | None = None,
    lines: pl.DataFrame | None = None,
    previous: pl.DataFrame | None = None,
    uncharged: pl.DataFrame = NEVER_STARTED,
    mode: str = "parallel",
    appendix_jobs: int = 200,
    sizes: pl.DataFrame | None = None,
    unheld: pl.DataFrame | None = None,
    quota: pl.DataFrame | None = None,
    policies: Mapping[str, str] = POLICIES,
    currency: Currency = EUR,
    terms: PostingTerms = NO_TERMS,
    rows_at_once: int = ROWS_AT_ONCE,
) -> pl.DataFrame:
    """contracts.statements of the worked month, or of what is given instead of its parts."""
    return statement_rows(
        worked_lines() if lines is None else lines,
        rated_usage() if rated is None else rated,
        uncharged,
        worked_capacity(),
        Coverage(objects=3, records=25, steps_ignored=12, quarantined=1),
        previous,
        month="2026-03",
        mode=mode,
        currency=currency,
        card=CARD_MARK,
        policies=policies,
        contact="gpu-billing@example.org",
        appendix_jobs=appendix_jobs,
        sizes=sizes,
        unheld=unheld,
        quota=quota,
        terms=terms,
        rows_at_once=rows_at_once,
    )


def measured_statements() -> pl.DataFrame:
    """contracts.statements of the month that telemetry saw, with a GPU that worked unheld and quota without pods."""
    rated = measured_usage()
    unheld = [("k8s-b", "gpu07", "GPU-44d2411e", A100, 18_000_000, 14_400 * 10**9, "2026-03-05", "2026-03-06", "ml/x")]
    return worked_statements(
        rated=rated,
        lines=charge_lines(rated, currency=EUR),
        sizes=sizes_of(rated),
        unheld=pl.DataFrame(unheld, schema=UNHELD, orient="row"),
        quota=pl.DataFrame([("k8s-b", "2026-03-05", "ml", "Job/train", "team-a", 144_000)], schema=QUOTA, orient="row"),
        policies={"active_above_percent": "20", "owner_precedence": "label, queue, namespace, account, user"},
    )


def forgiven_statements() -> pl.DataFrame:
    """contracts.statements of the worked month with its node failure and its suspended job credited."""
    rated = rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24, suspended=True))
    return worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR), policies={"suspended": "credited"})


def document_of(statements: pl.DataFrame, team: str) -> str:
    """The document of one team."""
    return str(statements.filter(pl.col("team") == team)["document"][0])
