"""Gives an empty Tryton database a company, a chart of accounts and a year: run by Tryton's own environment.

    python set_up.py CONFIG DATABASE_URI

Beyond the chart it makes two accounts by code, 7100 for what teams pay and 8100 for what the platform recovers, and the
year 2026 with its months. It imports nothing of ours.
"""

import datetime
import sys
from decimal import Decimal

from proteus import Model, Wizard, config

COMPANY = "C1"
YEAR = 2026


def main(config_file: str, uri: str) -> None:
    """Set it up, once."""
    session = config.set_trytond(database=uri, config_file=config_file)
    company = _company()
    user = Model.get("res.user")
    admin = user.find([("login", "=", "admin")])[0]
    session._context = user.get_preferences(True, session.context)
    _chart(company)
    _accounts(company)
    _year(company)
    admin.save()


def _company() -> Model:
    currency = Model.get("currency.currency")(name="Euro", symbol="€", code="EUR", rounding=Decimal("0.01"))
    currency.save()
    party = Model.get("party.party")(name=COMPANY)
    party.save()
    wizard = Wizard("company.company.config")
    wizard.execute("company")
    wizard.form.party, wizard.form.currency = party, currency
    wizard.execute("add")
    return Model.get("company.company").find()[0]


def _chart(company: Model) -> None:
    account = Model.get("account.account")
    template = Model.get("account.account.template").find([("parent", "=", None)])[0]
    wizard = Wizard("account.create_chart")
    wizard.execute("account")
    wizard.form.account_template, wizard.form.company = template, company
    wizard.execute("create_account")
    party_accounts = [("party_required", "=", True), ("closed", "=", False)]
    wizard.form.account_receivable = account.find([("type.receivable", "=", True), *party_accounts], limit=1)[0]
    wizard.form.account_payable = account.find([("type.payable", "=", True), *party_accounts], limit=1)[0]
    wizard.execute("create_properties")


def _accounts(company: Model) -> None:
    account = Model.get("account.account")
    for code, kind in (("7100", "expense"), ("8100", "revenue")):
        alike = account.find(
            [(f"type.{kind}", "=", True), ("closed", "=", False), ("party_required", "=", False)], limit=1
        )[0]
        made = account(name=f"GPU {kind}", code=code, type=alike.type, company=company)
        made.save()


def _year(company: Model) -> None:
    year = Model.get("account.fiscalyear")(
        name=str(YEAR), start_date=datetime.date(YEAR, 1, 1), end_date=datetime.date(YEAR, 12, 31), company=company
    )
    kinds = Model.get("ir.sequence.type").find([("name", "=", "Account Move")], limit=1)
    for field, model in (("move_sequence", "ir.sequence.strict"), ("post_move_sequence", "ir.sequence")):
        if field in year._fields:
            sequence = Model.get(model)(name=field, sequence_type=kinds[0], company=company)
            sequence.save()
            setattr(year, field, sequence)
    year.save()
    year.click("create_period")


if __name__ == "__main__":
    main(*sys.argv[1:])
