"""What goes wrong with the telemetry of a simulated estate, and when.

Not here: how it shows in samples (scraping.py).
"""

from collections import Counter

from chargeback.simulation.calendar_days import HOUR, SimulatedDays
from chargeback.simulation.device_activity import Work
from chargeback.simulation.estate_plan import Device, Host
from chargeback.simulation.scraping import Disturbances

FORGOTTEN_JOB = "40217"
"""A job that ended long ago; its job map was never removed."""


def slurm_disturbances(hosts: tuple[Host, ...], days: SimulatedDays) -> Disturbances:
    """A host without samples for hours, blank values on a GPU, a second exporter, and a job map left behind."""
    first, second, *_, last = hosts
    return Disturbances(
        gaps={first.name: _from(days, 1, 10, 4)},
        blanks={last.devices[0].identity: _from(days, 0, 12, 2)},
        doubled={second.name: _from(days, 0, 0, 30)},
        listed_twice={first.devices[0].identity: FORGOTTEN_JOB},
    )


def kubernetes_disturbances(
    hosts: tuple[Host, ...], days: SimulatedDays, stray: tuple[Device, int, int] | None
) -> Disturbances:
    """The same without job maps; and `stray`: a GPU on which something runs that no scheduler knows."""
    first, shared, *_ = hosts
    strays = {}
    if stray is not None:
        device, begins, ends = stray
        strays[device.identity] = Work("busy", 4711, begins, ends)
    return Disturbances(
        gaps={shared.name: _from(days, 0, 9, 3)},
        blanks={first.devices[0].identity: _from(days, 1, 2, 1.5)},
        strays=strays,
        doubled={first.name: _from(days, 0, 6, 20)},
    )


def shown_by(disturbances: Disturbances) -> Counter[str]:
    """Name of what goes wrong -> on how many hosts or devices."""
    return Counter(
        {
            "telemetry gap": len(disturbances.gaps),
            "blank values": len(disturbances.blanks),
            "second exporter": len(disturbances.doubled),
            "job map left behind": len(disturbances.listed_twice),
            "busy though nobody holds it": len(disturbances.strays),
        }
    )


def _from(days: SimulatedDays, day: int, hour: float, hours: float) -> tuple[int, int]:
    begins = days.at(day, hour)
    return begins, begins + int(hours * HOUR)
