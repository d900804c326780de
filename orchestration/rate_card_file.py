"""A rate card from a file on this machine, as the commands of `chargeback rate-card` take it. Nothing is landed."""

from pathlib import Path

from chargeback.pricing.rate_card import CardRefused, RateCard, read_rate_card
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused


def card_of_file(path: Path) -> RateCard:
    """The card in a file.

    Raises SettingsRefused if there is no such file, PeopleRefused with every reason if it is no card.
    """
    if not path.is_file():
        raise SettingsRefused(f"{path}: no such file; `chargeback rate-card new {path}` starts one")
    card = read_rate_card(path.read_bytes(), object_key=path.name)
    if isinstance(card, CardRefused):
        raise PeopleRefused(card.reasons)
    return card
