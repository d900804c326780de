"""Two whole months for tests: March runs in parallel beside finance's figures, April is charged once all have signed.

What is signed lands with fixed instants, so that no clock decides.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assets.enforcement import certificate_content, month_lines, variance_of_month
from chargeback.ledger.posting_document import plain_text
from chargeback.ledger.variance import ours_of
from chargeback.pricing.card_signature import approvable_card
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.enforcement import acceptance_of, sign_off_of, sponsorship_of
from chargeback.signatures.judgement import Approvable
from chargeback.signatures.keyring import KeyringFile
from orchestration.bill import BillOutcome, bill_month
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, LEAD, OWNER, ROOT, SPONSOR, signed_by
from tests.estates import INPUTS, Estate, NoProgress, in_this_process, job, sacct

MARCH, APRIL = "2026-03", "2026-04"
LANDED = datetime(2026, 5, 2, 2, tzinfo=UTC)
AFTERWARDS = datetime(2026, 5, 3, 2, tzinfo=UTC)
PREPARER = "Pat Lind"
JOBS = (
    job(1, "2026-03-30T08:00:00", "2026-03-30T18:00:00"),
    job(2, "2026-03-30T20:00:00", "2026-03-31T04:00:00", account="nlp-lab"),
    job(3, "2026-04-07T08:00:00", "2026-04-07T18:00:01"),
    job(4, "2026-04-30T02:00:00", "2026-04-30T05:00:00", account="nlp-lab"),
)
SETTINGS = """
[enforcement]
project_percent = 0

[posting]
system = "{system}"
"""


@dataclass(frozen=True)
class Charged:
    """An estate of those two months."""

    estate: Estate

    @classmethod
    def begun_in(cls, folder: Path, *, system: str = "hledger", mode: str = "enforced") -> "Charged":
        """Everything landed, card and maps signed; nothing is billed yet."""
        estate = Estate.begun_in(folder, first_day="2026-03-01")
        text = estate.config.read_text().replace('currency = "EUR"', f'currency = "EUR"\nmode = "{mode}"')
        estate.config.write_text(text + SETTINGS.format(system=system))
        estate.land("slurm/sacct", sacct(*JOBS), at=LANDED)
        estate.land("slurm/nodes", (INPUTS / "nodes.txt").read_bytes(), at=LANDED, extension="txt")
        estate.trust(ROOT, KeyringFile(KEYRING).content())
        charged = cls(estate)
        card = read_rate_card((INPUTS / "rate-card.yaml").read_bytes(), object_key="c")
        assert isinstance(card, RateCard)
        charged.sign(CONTROLLER, approvable_card(card))
        for each in estate.settings.maps:
            charged.sign(CONTROLLER, each.approvable(prepared_by="Ops Desk"))
        return charged

    def sign(self, key: object, thing: Approvable) -> None:
        """Land an approval."""
        record = signed_by(key, thing, at=LANDED)  # type: ignore[arg-type]
        self.estate.land("approvals", record.content(), at=LANDED, extension="json")

    def bill(self, month: str) -> BillOutcome:
        """Bill a month, in May."""
        return bill_month(
            month, workspace=self.estate.workspace, settings_file=self.estate.config, progress=NoProgress(),
            now=AFTERWARDS, again=False, pool_of=in_this_process,
        )  # fmt: skip

    def land_reference(self, *rows: str, header: str = "month,cost_centre,amount,currency,source") -> None:
        """Finance's own figures."""
        self.estate.land("finance-reference", "\n".join([header, *rows, ""]).encode(), at=LANDED, extension="csv")

    def land_agreeing_reference(self) -> None:
        """Finance has exactly what we have."""
        ours = ours_of(month_lines(MARCH, self.estate.workspace.lake))
        self.land_reference(
            *(f"{MARCH},{centre},{plain_text(each.amount)},EUR,report" for centre, each in ours.items())
        )

    def sign_off(self, key: object = LEAD) -> None:
        """March is signed off as it is now."""
        workspace = self.estate.workspace
        variance = variance_of_month(MARCH, lake=workspace.lake, people=workspace.people, settings=workspace.settings)
        certificate = certificate_content(MARCH, workspace.lake)
        assert certificate is not None
        self.sign(key, sign_off_of(MARCH, certificate=certificate, variance=variance.document(), prepared_by=PREPARER))

    def sponsor(self) -> None:
        """The sponsor signs."""
        self.sign(SPONSOR, sponsorship_of(self.estate.settings.enforcement.terms, prepared_by=PREPARER))

    def accept(self, month: str = MARCH) -> None:
        """The owner of every cost centre accepts what it would have paid."""
        for centre, each in ours_of(month_lines(month, self.estate.workspace.lake)).items():
            thing = acceptance_of(month, centre, amount=plain_text(each.amount), prepared_by=PREPARER)
            self.sign(OWNER, thing)
