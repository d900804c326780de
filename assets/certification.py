"""What a month's certificate rests on: the present contents, whether each follows from the others, the evidence.

Used at two places on purpose, by the certificate and again by whatever lets something out (design.md 6).
Not here: the judgement itself (chargeback/ledger/certificate.py).
"""

from collections.abc import Mapping

from assets.closed_months import USAGE_OF_CLOSED, usage_of_month
from assets.materialisation import Month, month_called
from assets.refusal import in_words, refused_as_failure
from assets.signatures import Signatures
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.registry import CONTRACTS
from chargeback.ledger.certificate import Certified, Evidence, Refused, certify, waived
from chargeback.ledger.enforcement import ENFORCED
from chargeback.signatures.waivers import Waivers
from resources.code_version import suite_version
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.lake_records import PartitionState
from resources.people_objects import PeopleObjects
from resources.settings import Settings

CERTIFIED: tuple[Contract, ...] = tuple(
    contract for contract in CONTRACTS if contract not in (CERTIFICATE, PUBLISHED, POSTINGS, OUTBOX)
)
"""Every table that what is published follows from."""


def certify_month(
    month: Month, *, lake: Lake, evidence: EvidenceStore, people: PeopleObjects, settings: Settings
) -> Certified | Refused:
    """Certify exactly what stands in the lake now, or say why not, one line a reason.

    In enforced mode what a check found and does not stop needs a waiver that counts.
    """
    states = _states(month, lake)
    contents = {key: state.content_hash if state else None for key, state in states.items()}
    stale = (
        *_stale(states),
        *_late_for_closed_months(states[f"{CORRECTIONS.table}|{month.period.month}"], lake, settings),
    )
    present = {key: content for key, content in contents.items() if content is not None}
    found = [
        each
        for key in present
        for check in _contract_of(key).checks
        if (each := _evidence(key, check, present, evidence=evidence, settings=settings)) is not None
    ]
    certified = certify(
        contents, {contract.table: contract.checks for contract in CERTIFIED}, found, month=month.period.month
    )
    if isinstance(certified, Refused):
        return Refused((*stale, *certified.reasons))
    if settings.mode == ENFORCED:
        certified = waived(certified, lambda check, findings: waivers_of(month, people).of(check, findings))
    if isinstance(certified, Refused):
        return Refused((*stale, *certified.reasons))
    return Refused(stale) if stale else certified


def waivers_of(month: Month, people: PeopleObjects) -> Waivers:
    """The waivers of a month that landed. Raises dg.Failure for a record that cannot be read."""
    with refused_as_failure():
        signed = Signatures.of(people)
    return Waivers(month.period.month, month.period.interval.end, signed.records, signed.keyring)


def contents_of(month: Month, lake: Lake) -> dict[str, str]:
    """`table|partition` -> content hash of everything that the certificate is about."""
    return {key: state.content_hash for key, state in _states(month, lake).items() if state}


def _states(month: Month, lake: Lake) -> dict[str, PartitionState | None]:
    found: dict[str, PartitionState | None] = {}
    for contract in CERTIFIED:
        is_daily = contract.partitioned_by == ("cluster", "day")
        partitions = month.days_of(contract) if is_daily else (month.partition,)
        states = lake.states(contract, partitions)
        found.update({f"{contract.table}|{each.key}": states.get(each.key) for each in partitions})
    return found


def _stale(states: Mapping[str, PartitionState | None]) -> tuple[str, ...]:
    """Contents that were made from something else than what stands in the lake now."""
    return tuple(
        f"{key.replace('|', ' ', 1)}: was made from another {name.replace('|', ' ', 1)}: materialise it again"
        for key, state in states.items()
        if state
        for name, content in state.inputs.items()
        if (other := states.get(name)) is not None and other.content_hash != content
    )


def _late_for_closed_months(state: PartitionState | None, lake: Lake, settings: Settings) -> tuple[str, ...]:
    """Closed months whose days changed after the month's corrections of them were found."""
    recorded = state.inputs if state else {}
    prefix = f"setting|{USAGE_OF_CLOSED}"
    return tuple(
        f"{CORRECTIONS.table}: days of closed month {name} changed since: materialise it again"
        for name, usage in (
            (key.removeprefix(prefix), value) for key, value in recorded.items() if key.startswith(prefix)
        )
        if repr(usage_of_month(month_called(name, settings), lake)) != usage
    )


def _contract_of(key: str) -> Contract:
    table = key.partition("|")[0]
    return next(contract for contract in CERTIFIED if contract.table == table)


def _evidence(
    key: str, check: str, contents: Mapping[str, str], *, evidence: EvidenceStore, settings: Settings
) -> Evidence | None:
    table, _, partition = key.partition("|")
    version = suite_version(check, settings.judged_under(check))
    found = evidence.latest(table, partition, check, contents, suite_version=version)
    if found is None:
        return None
    failed = "failed" if found.blocking else Evidence.WARNING
    return Evidence(
        table=table,
        partition=partition,
        check=check,
        content_hash=contents[key],
        outcome=Evidence.PASSED if found.passed else failed,
        key=evidence.record(found),
        said=in_words(found.samples, int(found.metrics["findings"])),
    )
