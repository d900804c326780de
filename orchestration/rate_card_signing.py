"""`chargeback rate-card sign`, `verify` and `publish`: a card, its approval, and both into landing.

Not here: what a card says (chargeback/pricing/rate_card.py), whether an approval counts (card_signature.py there).
"""

from pathlib import Path

from rich.console import Console

from chargeback.billing_period import BillingPeriod
from chargeback.pricing.card_signature import KIND, approvable_card, signed_for_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.fields import Unreadable, read_instant
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.record import Record, SignedRecord, read_record
from orchestration.key_signing import signed_with
from orchestration.local_files import read_file, write_file
from orchestration.rate_card_file import card_of_file
from orchestration.signing_desk import Desk, desk_of
from resources.lake_binding import bind_lake
from resources.open_store import store_at
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused


def sign_card(
    file: Path, *, key: Path, reason: str, until: str | None, approval: Path | None, config: Path | None
) -> SignedRecord:
    """Write the approval of exactly what the card says, if it would count for the card's first month.

    Raises  SettingsRefused, PeopleRefused with every reason.
    """
    desk = desk_of(config)
    card = card_of_file(file)
    thing = approvable_card(card)
    if not card.prepared_by:
        raise PeopleRefused((f"{file} does not say who prepared it: write prepared_by: NAME into it",))
    try:
        ends = read_instant(until, "--until") if until else None
        draft = Record(thing.kind, thing.subject, thing.content_sha256, thing.prepared_by, reason.strip(), until=ends)
    except Unreadable as fault:
        raise SettingsRefused(str(fault)) from None
    if not draft.reason:
        raise SettingsRefused("--reason is empty: say why this card is right")
    to = approval or _beside(file)
    signed = signed_with(draft, desk=desk, key=key, name=to.name)
    judged = _judged(card, signed, to, desk)
    if not judged.is_signed:
        raise PeopleRefused((judged.signature, "nothing was signed"))
    write_file(to, signed.content())
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"rate card {card.version} {judged.signature}", markup=False)
    console.print(f"approval in {to}; next: chargeback rate-card publish {file}", markup=False)
    return signed


def verify_card(file: Path, *, approval: Path | None, config: Path | None) -> int:
    """Print who signed the card, or why no signature counts for its first month: 0 if one does, else 1.

    Looks at what landed, and at the approval that is named or lies beside the card.
    """
    desk = desk_of(config)
    card, beside = card_of_file(file), approval or _beside(file)
    records = _landed_records(desk)
    if approval or beside.exists():
        records.append(LandedRecord(_record(beside), desk.now, beside.name))
    judged = signed_for_month(card, records, keyring=desk.keyring(), period=_first_month(card, desk))
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"rate card {card.version} (content {card.content_sha256})", markup=False)
    console.print(judged.signature, markup=False)
    return 0 if judged.is_signed else 1


def publish_card(file: Path, *, approval: Path | None, config: Path | None) -> None:
    """Land the approval, then the card, so that the card never stands there unsigned. A repeat changes nothing.

    Raises  PeopleRefused if the approval does not count, or the version already landed with another content.
    """
    desk = desk_of(config)
    card, beside = card_of_file(file), approval or _beside(file)
    signed = _record(beside)
    judged = _judged(card, signed, beside, desk)
    if not judged.is_signed:
        raise PeopleRefused((judged.signature, "nothing was landed"))
    if taken := _taken(card, desk):
        raise PeopleRefused((*taken, "nothing was landed"))
    bind_lake(store_at(desk.settings.location), desk.settings)
    console = Console(soft_wrap=True, highlight=False)
    for source, content, extension in (
        ("approvals", signed.content(), "json"),
        ("rate-cards", read_file(file), "yaml"),
    ):
        landed = desk.landing.land(content, source=source, cluster=None, extracted_at=desk.now, extension=extension)
        console.print(f"{'landed' if landed.is_new else 'was landed before as'} {landed.key}", markup=False)
    console.print(f"rate card {card.version} {judged.signature}", markup=False)


def _judged(card: RateCard, signed: SignedRecord, place: Path, desk: Desk) -> RateCard:
    """The card, signed or not, as if the approval landed now; one of another kind or version says so itself."""
    landed = LandedRecord(signed, desk.now, place.name)
    if signed.record.kind != KIND:
        raise PeopleRefused((f"{place} approves a {signed.record.kind}, not a {KIND}",))
    if signed.record.subject != card.version and signed.record.content_sha256 != card.content_sha256:
        raise PeopleRefused((f"{place} approves rate card {signed.record.subject}, not {card.version}",))
    return signed_for_month(card, [landed], keyring=desk.keyring(), period=_first_month(card, desk))


def _first_month(card: RateCard, desk: Desk) -> BillingPeriod:
    return BillingPeriod(card.effective_from, desk.settings.zone)


def _taken(card: RateCard, desk: Desk) -> list[str]:
    """Other contents that landed under this version: the month would have two cards and be refused."""
    reasons = []
    for landed in desk.landing.objects("rate-cards", None):
        other = read_rate_card(desk.landing.read(landed), object_key=landed.key)
        if isinstance(other, RateCard) and other.order == card.order and other.sha256 != card.sha256:
            reasons.append(f"rate card {card.version} landed before with other bytes, {landed.key}: raise the version")
    return reasons


def _landed_records(desk: Desk) -> list[LandedRecord]:
    try:
        return desk.people.signed.records()[0]
    except Unreadable as fault:
        raise PeopleRefused((str(fault),)) from None


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.stem}.approval.json")


def _record(file: Path) -> SignedRecord:
    try:
        return read_record(read_file(file))
    except Unreadable as fault:
        raise SettingsRefused(f"{file}: {fault}") from None
