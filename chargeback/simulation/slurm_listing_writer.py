"""What else is extracted from Slurm: node listing, node events, reservations, job details, prolog maps, device maps.

Not here: job records (sacct_writer.py).
"""

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from chargeback.simulation.calendar_days import HOUR, naive
from chargeback.simulation.estate_plan import Device, Host
from chargeback.simulation.sacct_writer import ExtractWindow, clock, fold, submit_line, tres_of
from chargeback.simulation.slurm_run import HostSpell, SlurmRun

PROLOG_HEADER = "job_id|start_epoch|host|uuids|end_epoch"
DEVICE_MAP_HEADER = "host,minor,nvml_index,uuid"


def node_listing(hosts: Sequence[Host], *, cpu_host: str, cluster_zone: ZoneInfo, listed_at: int) -> bytes:
    """`scontrol show node` of all hosts and one without GPUs."""
    records = [_node(host.name, host.devices, host.model.gres, cluster_zone, listed_at) for host in hosts]
    return "\n\n".join([*records, _node(cpu_host, (), "cpu", cluster_zone, listed_at), ""]).encode()


def _node(name: str, devices: Sequence[Device], features: str, zone: ZoneInfo, listed_at: int) -> str:
    counts: dict[str, int] = {}
    for device in devices:
        counts[device.gres] = counts.get(device.gres, 0) + 1
    gres = ",".join(f"gpu:{kind}:{count}(S:0-1)" for kind, count in counts.items()) or "(null)"
    tres = [f"gres/gpu={len(devices)}"] * bool(devices) + [f"gres/gpu:{kind}={count}" for kind, count in counts.items()]
    partitions = ",".join(sorted({"mig" if device.profile else "gpu" for device in devices})) or "cpu"
    booted = naive(listed_at - 40 * 24 * HOUR, zone)
    return "\n".join(
        [
            f"NodeName={name} Arch=x86_64 CoresPerSocket=48 ",
            "   CPUAlloc=0 CPUEfctv=96 CPUTot=96 CPULoad=3.20",
            f"   AvailableFeatures={features}",
            f"   ActiveFeatures={features}",
            f"   Gres={gres}",
            f"   NodeAddr={name} NodeHostName={name} Version=23.11.4",
            "   RealMemory=1031000 AllocMem=0 FreeMem=998000 Sockets=2 Boards=1",
            "   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            f"   Partitions={partitions} ",
            f"   BootTime={booted} SlurmdStartTime={booted}",
            f"   CfgTRES={','.join(['cpu=96', 'mem=1031000M', 'billing=96', *tres])}",
            "   AllocTRES=",
        ]
    )


def event_table(spells: Iterable[HostSpell], window: ExtractWindow) -> bytes:
    """`sacctmgr -P show event`: what had begun and not ended before the window; what goes on has no end yet."""
    lines = [
        f"{window.cluster}|{spell.host}|{naive(spell.starts, window.zone)}|"
        f"{naive(spell.ends if spell.ends <= window.extracted_at else None, window.zone)}|"
        f"{spell.name}|{spell.reason}|root(0)"
        for spell in spells
        if spell.is_event and spell.starts <= window.extracted_at and spell.ends >= window.starts
    ]
    return "\n".join(["Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User", *lines, ""]).encode()


def reservation_table(spells: Iterable[HostSpell], window: ExtractWindow) -> bytes:
    """`sacctmgr -P show reservation` with nodes, associations and flags; its end is planned and known."""
    lines = [
        f"{window.cluster}|{spell.name}|cpu=96|{naive(spell.starts, window.zone)}|{naive(spell.ends, window.zone)}|"
        f"{spell.host}|{spell.account}|{spell.reason}"
        for spell in spells
        if not spell.is_event and spell.starts <= window.extracted_at and spell.ends >= window.starts
    ]
    return "\n".join(["Cluster|Name|TRES|TimeStart|TimeEnd|NodeNames|Assocs|Flags", *lines, ""]).encode()


def job_details(runs: Iterable[SlurmRun], *, sampled_at: int, zone: ZoneInfo) -> bytes:
    """`scontrol show job -d` at an instant: running jobs, with the minors of their GPUs on every host."""
    running = [run for run in runs if run.is_running(sampled_at)]
    return "".join(_job(run, sampled_at, zone) for run in running).encode() or b"No jobs in the system\n"


def _job(run: SlurmRun, at: int, zone: ZoneInfo) -> str:
    started = run.started or at
    run_time = clock(at - started - run.suspended_seconds(at))
    limit = f"{run.limit_minutes // 1440}-{run.limit_minutes % 1440 // 60:02}:{run.limit_minutes % 60:02}:00"
    lines = [
        f"JobId={run.job_id_raw} JobName={run.job_name}",
        f"   UserId={run.user}(1001) GroupId=users(100) MCS_label=N/A",
        f"   Priority=1 Nice=0 Account={run.account} QOS={run.qos} WCKey=*{run.account}",
        f"   JobState={'SUSPENDED' if run.is_suspended(at) else 'RUNNING'} Reason=None Dependency=(null)",
        "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0",
        f"   RunTime={run_time} TimeLimit={limit} TimeMin=N/A",
        f"   SubmitTime={naive(run.submitted, zone)} EligibleTime={naive(run.submitted, zone)}",
        f"   StartTime={naive(started, zone)} EndTime={naive(started + run.limit_minutes * 60, zone)} Deadline=N/A",
        f"   Partition={run.partition} AllocNode:Sid=login01:4711",
        f"   NodeList={fold(run.hosts)}",
        f"   NumNodes={len(run.hosts)} NumCPUs=12 NumTasks=1 CPUs/Task=12 ReqB:S:C:T=0:0:*:*",
        f"   TRES={tres_of(run)}",
        *(f"     Nodes={host} CPU_IDs=0-11 Mem=98304 GRES={_gres_on(run.devices_on(host))}" for host in run.hosts),
        f"   OverSubscribe={'NO' if run.is_exclusive else 'OK'} Contiguous=0 Licenses=(null) Network=(null)",
        f"   Command={submit_line(run).split()[-1]}",
        "   ",
        "",
        "",
    ]
    return "\n".join(lines)


def _gres_on(devices: Sequence[Device]) -> str:
    """`gpu:a100:2(IDX:0,3)`; a slice's index counts the slices of the host."""
    by_kind: dict[str, list[int]] = {}
    for device in devices:
        by_kind.setdefault(device.gres, []).append(slurm_index(device))
    return ",".join(
        f"gpu:{kind}:{len(indices)}(IDX:{','.join(map(str, sorted(indices)))})" for kind, indices in by_kind.items()
    )


def slurm_index(device: Device) -> int:
    """What Slurm counts devices of a host by: the minor number, for slices the numbers behind those of the GPUs."""
    return device.minor if not device.instance else device.minor + ("1", "5", "13").index(device.instance)


def prolog_lines(runs: Iterable[SlurmRun], *, since: int, at: int, without: str) -> bytes:
    """What prologs and epilogs wrote down of runs that had not ended before `since`: a line per run and host.

    One host has no prolog (`without`): of what runs there only samples and telemetry say which GPUs it has.
    """
    lines = [
        f"{run.job_id_raw}|{run.started}|{host}|{','.join(_as_driver(device) for device in run.devices_on(host))}|"
        f"{run.ended if run.ended is not None and run.ended <= at else ''}"
        for run in runs
        if run.started is not None and run.started <= at and (run.ended is None or run.ended >= since)
        for host in run.hosts
        if host != without and run.devices_on(host)
    ]
    return "\n".join([PROLOG_HEADER, *lines, ""]).encode()


def _as_driver(device: Device) -> str:
    """A device's name in CUDA_VISIBLE_DEVICES; slices as older drivers spell them."""
    return f"MIG-{device.identity}/0" if device.instance else device.uuid


def device_map(hosts: Sequence[Host]) -> bytes:
    """Which minor number of a host is which GPU, and by which index NVML counts it."""
    lines = [f"{host.name},{gpu.minor},{gpu.nvml_index},{gpu.uuid}" for host in hosts for gpu in host.gpus]
    return "\n".join([DEVICE_MAP_HEADER, *lines, ""]).encode()
