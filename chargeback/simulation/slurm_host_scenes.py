"""What befalls whole Slurm hosts: a failure, a drain, maintenance, a reservation, and the runs that meet them.

Not here: scenes of single jobs (slurm_scenes.py).
"""

from chargeback.simulation.bookings import Grant
from chargeback.simulation.calendar_days import HOUR, MINUTE
from chargeback.simulation.estate_plan import TEAMS
from chargeback.simulation.slurm_run import HostSpell
from chargeback.simulation.slurm_stage import SlurmStage

ROBOTICS = next(team for team in TEAMS if team.name == "Robotics")


def place_host_scenes(stage: SlurmStage) -> None:
    """Place all of them; one for which no host is empty is left out."""
    for scene in (_node_failure, _drained, _maintenance, _reserved):
        scene(stage)


def _node_failure(stage: SlurmStage) -> None:
    found = stage.desk.whole_host(stage.desk.hosts_of("h100"), earliest=stage.days.at(0, 13), seconds=100 * MINUTE)
    if found is None:
        return
    host, at = found
    fails, up = at + 60 * MINUTE, at + 100 * MINUTE
    grants = (Grant(host.devices[0]),)
    stage.desk.bookings.book(grants, at, fails)
    stage.desk.bookings.close(host.devices, fails, up)
    stage.add("node failed", grants, at, fails, state="NODE_FAIL", reason="NodeDown")
    stage.spells.append(HostSpell(host.name, "down", fails, up, "DOWN*", "Not responding"))


def _drained(stage: SlurmStage) -> None:
    """A run that was there before goes on for a while: held comes before out of service."""
    hosts = stage.desk.hosts_of("a100")[1:]
    found = stage.desk.whole_host(hosts, earliest=stage.days.at(1, 17), seconds=6 * HOUR, within=40 * HOUR)
    if found is None:
        return
    host, at = found
    drained, back = at + HOUR, at + 6 * HOUR
    grants = (Grant(host.devices[0]),)
    stage.desk.bookings.book(grants, at, drained + 55 * MINUTE)
    stage.desk.bookings.close(host.devices, drained, back)
    stage.add("on a draining node", grants, at, drained + 55 * MINUTE)
    stage.spells.append(HostSpell(host.name, "drain", drained, back, "DRAIN", "xid 79 gpu fell off the bus"))


def _maintenance(stage: SlurmStage) -> None:
    found = stage.desk.whole_host(stage.desk.hosts_of("h100"), earliest=stage.days.at(1, 15), seconds=2 * HOUR)
    if found is not None:
        host, at = found
        stage.desk.bookings.close(host.devices, at, at + 2 * HOUR)
        stage.spells.append(HostSpell(host.name, "planned", at, at + 2 * HOUR, "firmware", "MAINT,IGNORE_JOBS"))


def _reserved(stage: SlurmStage) -> None:
    """Part of a reservation is used by a run inside it; the rest nobody uses."""
    found = stage.desk.whole_host(stage.desk.hosts_of("h100"), earliest=stage.days.at(1, 7), seconds=6 * HOUR)
    if found is None:
        return
    host, at = found
    stage.desk.bookings.close(host.devices, at, at + 6 * HOUR)
    account, user = stage.desk.person(ROBOTICS)
    stage.add(
        "inside a reservation", (Grant(host.devices[0]),), at + HOUR, at + 3 * HOUR, account=account, user=user,
        reservation="deadline", qos="committed",
    )  # fmt: skip
    stage.spells.append(HostSpell(host.name, "reserved", at, at + 6 * HOUR, "deadline", "SPEC_NODES", account))
