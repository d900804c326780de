"""Layouts of sacct text: the fields named by its header, by the reader, or by a known headerless layout kept as data.

Not here: splitting rows (sacct_lines.py) and reading values (sacct_records.py).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.sacct_fields import canonical_name, fits, words

DELIMITERS = ("^|^", "|#", "|", "☃", "\x1f", "\x1e", "\t", ";", "~", "^")
"""Tried in this order where no header shows the delimiter; longer ones before those that they contain."""

SAMPLE_LINES = 200


@dataclass(frozen=True, slots=True)
class Layout:
    """Delimiter and fields of an extract. Fields that sacct does not have keep the name that the header gives them.

    `has_trailing_delimiter`: every row ends with the delimiter (`sacct -p`). `header_line` is 0 where there is none.
    """

    delimiter: str
    fields: tuple[str, ...]
    has_trailing_delimiter: bool
    header_line: int


KNOWN_LAYOUTS = {
    "hb-jobinfo": words(
        """
        JobID JobName User Partition NodeList NNodes NCPUS NTasks State Submit Start End Timelimit Elapsed TotalCPU
        CPUTime UserCPU SystemCPU ReqMem MaxRSS MaxVMSize ReqTRES AllocTRES TRESUsageInMax TRESUsageInTot
        TRESUsageOutTot MaxDiskRead MaxDiskWrite MaxRSSNode MaxRSSTask MaxVMSizeNode MaxVMSizeTask MaxDiskReadNode
        MaxDiskReadTask MaxDiskWriteNode MaxDiskWriteTask Comment
        """
    ),
    "xdmod": words(
        """
        JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State
        NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName
        """
    ),
    "ceems": words(
        """
        JobIDRaw Partition QOS Account Group GID User UID Submit Start End Elapsed ElapsedRaw ExitCode State AllocTRES
        NodeList JobName WorkDir
        """
    ),
    "reportseff": words(
        """
        AdminComment AllocCPUS Elapsed JobID JobIDRaw MaxRSS NNodes NTasks ReqMem State Timelimit TotalCPU
        """
    ),
}
"""Headerless formats of public tools; matched by their number of columns and the shape of their values."""

_HEADER = re.compile(r"^\s*(?P<first>[A-Za-z]{2,}(?:%-?\d+)?)(?P<delimiter>[^A-Za-z0-9 _%\-\r\n]+)(?=[A-Za-z])")


def find_layout(lines: Sequence[str], *, fields: Sequence[str] | None) -> Layout:
    """The layout of an extract from its lines.

    A header counts first; else `fields`; else a known layout that fits by columns and by the shape of its values.
    Raises: UnreadableExtract if none does, or if the text is sacct's aligned output, which cuts values off.
    """
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    for number, line in filled[:5]:
        _refuse_aligned(line)
        header = _header_layout(number, line)
        if header is not None:
            return header
    sample = [line for _, line in filled[:SAMPLE_LINES]]
    if fields is not None:
        return _layout_of_fields(sample, fields)
    known = _known_layout(sample)
    if known is None:
        raise UnreadableExtract("no header and no known layout: name the columns with --fields JobID,State,Start,...")
    return known


def _refuse_aligned(line: str) -> None:
    if re.fullmatch(r"-{3,}( -{3,})+\s*", line):
        raise UnreadableExtract("this is sacct's aligned output, which cuts values off: extract with --parsable2 (-P)")


def _header_layout(number: int, line: str) -> Layout | None:
    match = _HEADER.match(line)
    if match is None:
        return None
    delimiter = match["delimiter"]
    texts = line.strip("\r\n").split(delimiter)
    has_trailing = texts[-1] == ""
    names = texts[:-1] if has_trailing else texts
    known = [canonical_name(name) for name in names]
    if len(names) < 2 or not {"JobID", "JobIDRaw"} & set(known) or sum(map(bool, known)) * 2 < len(names):
        return None
    named = tuple(name or text.strip() for name, text in zip(known, names, strict=True))
    return Layout(delimiter, named, has_trailing, number)


def _layout_of_fields(sample: Sequence[str], fields: Sequence[str]) -> Layout:
    unknown = [field for field in fields if canonical_name(field) is None]
    if unknown:
        raise UnreadableExtract(f"--fields names {', '.join(unknown)}, which sacct does not have")
    named = tuple(canonical_name(field) or field for field in fields)
    for delimiter in DELIMITERS:
        if _share_that_fits(sample, delimiter, named) > 0:
            return Layout(delimiter, named, _ends_with(sample, delimiter, len(named)), 0)
    raise UnreadableExtract(f"no line has the {len(named)} columns that --fields names, by any of the usual delimiters")


def _known_layout(sample: Sequence[str]) -> Layout | None:
    for delimiter in DELIMITERS:
        for named in KNOWN_LAYOUTS.values():
            if _share_that_fits(sample, delimiter, named) >= 0.5:
                return Layout(delimiter, named, _ends_with(sample, delimiter, len(named)), 0)
    return None


def _share_that_fits(sample: Sequence[str], delimiter: str, fields: Sequence[str]) -> float:
    fitting = 0
    for line in sample:
        values = line.rstrip("\r").split(delimiter)
        if len(values) == len(fields) + 1 and values[-1] == "":
            values.pop()
        if len(values) == len(fields):
            fitting += all(fits(name, value) or name == "State" for name, value in zip(fields, values, strict=True))
    return fitting / len(sample) if sample else 0.0


def _ends_with(sample: Sequence[str], delimiter: str, columns: int) -> bool:
    trailing = sum(line.rstrip("\r").count(delimiter) == columns for line in sample)
    return trailing * 2 > len(sample)
