"""sacct's field names as data: which there are, which hold free text, and what a value of the others looks like.

The patterns decide whether a row with a stray delimiter can be read after all; they do not convert anything.
"""

import re
from collections.abc import Mapping

from chargeback.usage import durations, instants, tres
from chargeback.usage.states import STATES


def words(text: str) -> tuple[str, ...]:
    """Names written as text, in their order."""
    return tuple(text.split())


NAMES = words(
    """
    Account AdminComment AllocCPUS AllocGRES AllocNodes AllocTRES AssocID AveCPU AveCPUFreq AveDiskRead AveDiskWrite
    AvePages AveRSS AveVMSize BlockID Cluster Comment Constraints ConsumedEnergy ConsumedEnergyRaw Container CPUTime
    CPUTimeRAW DBIndex DerivedExitCode Elapsed ElapsedRaw Eligible End Exclusive ExitCode Extra FailedNode Flags GID
    Group JobID JobIDRaw JobName Layout Licenses MaxDiskRead MaxDiskReadNode MaxDiskReadTask MaxDiskWrite
    MaxDiskWriteNode MaxDiskWriteTask MaxPages MaxPagesNode MaxPagesTask MaxRSS MaxRSSNode MaxRSSTask MaxVMSize
    MaxVMSizeNode MaxVMSizeTask McsLabel MinCPU MinCPUNode MinCPUTask NCPUS NNodes NodeList NTasks OriginalSLUID
    Partition Planned PlannedCPU PlannedCPURAW Priority QOS QOSRAW QOSREQ Reason ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax
    ReqCPUFreqMin ReqCPUS ReqGRES ReqMem ReqNodes ReqTRES Reservation ReservationId Reserved ResvCPU ResvCPURAW Restarts
    SegmentSize SLUID Start State StdErr StdIn StdOut Submit SubmitLine Suspended SystemComment SystemCPU Timelimit
    TimelimitRaw TotalCPU TRESUsageInAve TRESUsageInMax TRESUsageInMaxNode TRESUsageInMaxTask TRESUsageInMin
    TRESUsageInMinNode TRESUsageInMinTask TRESUsageInTot TRESUsageOutAve TRESUsageOutMax TRESUsageOutMaxNode
    TRESUsageOutMaxTask TRESUsageOutMin TRESUsageOutMinNode TRESUsageOutMinTask TRESUsageOutTot UID User UserCPU WCKey
    WCKeyID WorkDir
    """
)

_NAME_OF = {name.lower(): name for name in NAMES}

FREE_TEXT = frozenset(
    words(
        """
        AdminComment Comment Constraints Container Extra JobName Licenses Reason StdErr StdIn StdOut SubmitLine
        SystemComment WorkDir
        """
    )
)

_ABSENT = r"(?i:none|unknown|n/a|\(null\)|invalid|)"
_TIME = re.compile(rf"(?:{instants.WITH_OFFSET}|{instants.LOCAL}|{instants.EPOCH}|^{_ABSENT}$|^0$)")
_DURATION = re.compile(rf"(?:{durations.PATTERN}|^{_ABSENT}$|^(?i:unlimited|partition_limit|not_set)$)")
_NUMBER = re.compile(r"^(?:\d*|(?i:unlimited|partition_limit|invalid))$")
_TRES = re.compile(tres.PATTERN)
_WORD = re.compile(r"^[^\s|\"']*$")

PATTERN_OF: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("Submit", "Eligible", "Start", "End"), _TIME),
    **dict.fromkeys(("Elapsed", "Suspended", "Timelimit", "CPUTime", "Reserved", "Planned", "TotalCPU"), _DURATION),
    **dict.fromkeys(("ElapsedRaw", "CPUTimeRAW", "NNodes", "AllocNodes", "AllocCPUS", "NCPUS", "ReqCPUS"), _NUMBER),
    **dict.fromkeys(("DBIndex", "UID", "GID", "AssocID", "WCKeyID", "QOSRAW", "TimelimitRaw"), _NUMBER),
    **dict.fromkeys(("AllocTRES", "ReqTRES"), _TRES),
    **dict.fromkeys(("Account", "User", "Partition", "QOS", "Cluster", "SLUID", "WCKey"), _WORD),
    **dict.fromkeys(("Flags", "Reservation", "Exclusive"), _WORD),
    "SubmitLine": re.compile(r"^$|^[\w./-]*(?:sbatch|srun|salloc|scrontab)\b"),
    "WorkDir": re.compile(r"^$|^/"),
    "ExitCode": re.compile(r"^(?:\d+:\d+)?$"),
    "JobID": re.compile(r"^\d+(?:[_+](?:\d+|\[[^\]|]*\]))?(?:\.\w+)?$"),
    "JobIDRaw": re.compile(r"^\d+(?:\.\w+)?$"),
    "State": re.compile(rf"^(?:{'|'.join(STATES)})(?: by \w+)?\+?$"),
    "NodeList": re.compile(r"^(?:None assigned|[A-Za-z0-9_.,\-\[\]]*)$"),
}


def canonical_name(text: str) -> str | None:
    """sacct's own spelling of a field name in any case, with or without a width (`jobname%30`); None if unknown."""
    return _NAME_OF.get(text.strip().partition("%")[0].lower())


def fits(name: str, value: str) -> bool:
    """The value looks like one of that field; always true for free text and for fields that are not read."""
    pattern = PATTERN_OF.get(name)
    return pattern is None or pattern.search(value) is not None
