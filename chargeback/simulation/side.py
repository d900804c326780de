"""What every simulated cluster can be asked, whatever its scheduler. Not here: the clusters themselves."""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from chargeback.simulation.estate_plan import Host
from chargeback.simulation.made import Made
from chargeback.simulation.scraping import Disturbances
from chargeback.simulation.truth import RunFact
from chargeback.simulation.truth_capacity import CapacitySpell


class Side(Protocol):
    """One cluster: asked day by day, in order."""

    @property
    def cluster(self) -> str:
        """Its name."""

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Its hosts."""

    def plan(self, day: int) -> None:
        """Let people submit on that day."""

    def forget(self, before: int) -> None:
        """Drop what ended before an instant."""

    def newly_planned(self) -> list[RunFact]:
        """Facts of what was planned since this was last asked."""

    def facts(self) -> list[RunFact]:
        """Facts of all runs that can still matter."""

    def capacity_spells(self) -> list[CapacitySpell]:
        """What befalls hosts."""

    def disturbances(self) -> Disturbances:
        """What goes wrong with its telemetry."""

    def shown(self) -> Counter[str]:
        """What is there to see beside runs: name -> how often."""

    def objects(self, day: int) -> Iterator[Made]:
        """What is extracted of a day."""
