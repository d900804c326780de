"""Months of a few lines that close and change, for tests: who held how long, who owns it, what an hour costs."""

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charges import line_id_of
from chargeback.ledger.correction_policy import CorrectionPolicy, under_policy
from chargeback.ledger.corrections import Basis, booked_of, correction_lines, stood_on
from chargeback.money import Currency, exact_amount_of

EUR = Currency("EUR")
MONTHS = ("2026-10", "2026-11", "2026-12", "2027-01")


def basis(**changed: str) -> Basis:
    """A basis of which some inputs are others."""
    return Basis(**{**dict.fromkeys(("usage", "ownership", "card", "credits", "rules"), "0"), **changed})


def line(
    month: str, team: str, seconds: int, price: str = "2.385", *, centre: str = "4711", kind: str = "allocation",
    company: str = "C1",
) -> dict[str, object]:  # fmt: skip
    """A statement line as contracts.team_charges has it."""
    key = {
        "month": month, "team": team, "cost_centre": centre, "project": "", "company": company, "cluster": "slurm-a",
        "accelerator": "h100-sxm5-80gb", "tier": "standard", "kind": kind,
    }  # fmt: skip
    sign = -1 if kind != "allocation" else 1
    exact = sign * exact_amount_of(Fraction(seconds), price_per_gpu_hour=Decimal(price))
    row = {
        **key, "line_id": line_id_of(key), "quantity": str(sign * seconds), "quantity_unit": "GPU-second",
        "gpu_seconds": str(seconds), "price": Decimal(price), "amount": EUR.round(exact), "exact_amount": str(exact),
        "currency": "EUR", "card_version": "1", "run_count": 1, "running_count": 0, "customer_class": "",
    }  # fmt: skip
    return {name: row[name] for name in TEAM_CHARGES.column_names}


def lines(*rows: dict[str, object]) -> pl.DataFrame:
    """contracts.team_charges of some lines."""
    return pl.DataFrame(list(rows), schema=TEAM_CHARGES.schema, orient="row").sort("line_id")


@dataclass
class History:
    """What is known of some months, and what was closed and booked so far. Months close in order."""

    policy: CorrectionPolicy = field(default_factory=CorrectionPolicy)
    held: dict[tuple[str, str], int] = field(default_factory=dict)
    owner: dict[tuple[str, str], str] = field(default_factory=dict)
    price: dict[str, str] = field(default_factory=dict)
    closed: dict[str, pl.DataFrame] = field(default_factory=dict)
    basis_at_closing: dict[str, Basis] = field(default_factory=dict)
    corrections: dict[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def open_month(self) -> str:
        """The earliest month that is not closed: it books."""
        return MONTHS[len(self.closed)]

    def fresh(self, month: str) -> pl.DataFrame:
        """The lines of a month as they are now."""
        seconds: dict[str, int] = {}
        for (of_month, account), held in self.held.items():
            if of_month == month:
                team = self.owner.get((month, account), "unattributed")
                seconds[team] = seconds.get(team, 0) + held
        price = self.price.get(month, "2.385")
        return lines(*(line(month, team, held, price) for team, held in sorted(seconds.items())))

    def basis(self, month: str) -> Basis:
        """What these lines follow from."""
        said = {key: value for key, value in self.held.items() if key[0] == month}
        owners = {key: value for key, value in self.owner.items() if key[0] == month}
        return basis(usage=str(sorted(said.items())), ownership=str(sorted(owners.items())),
                     card=self.price.get(month, "2.385"))  # fmt: skip

    def booked(self, closed: str) -> pl.DataFrame:
        """What was booked of a closed month before the open one."""
        rows = [booked_of(rows) for month, rows in self.corrections.items() if month < self.open_month]
        return pl.concat([CORRECTIONS.empty(), *rows]).filter(corrects_month=closed)

    def correct(self) -> pl.DataFrame:
        """Compute the open month's corrections anew, as its asset does."""
        found = [CORRECTIONS.empty()]
        for month, closed in self.closed.items():
            booked = self.booked(month)
            found.append(
                correction_lines(
                    closed, booked, self.fresh(month), month=self.open_month, now=self.basis(month),
                    stood=stood_on(self.basis_at_closing[month], booked),
                )
            )  # fmt: skip
        self.corrections[self.open_month] = under_policy(pl.concat(found), self.policy)
        return self.corrections[self.open_month]

    def close(self) -> None:
        """Close the open month with what stands in it now."""
        month = self.open_month
        self.correct()
        self.closed[month], self.basis_at_closing[month] = self.fresh(month), self.basis(month)
