"""sacct text of every shape: held, ignored or quarantined with its line."""

from zoneinfo import ZoneInfo

import pytest

from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.sacct_text import parse_sacct_text
from tests.tables import CASES, shared_file

UTC_ZONE = ZoneInfo("UTC")

HEADER = "JobIDRaw|Cluster|Account|State|Submit|Start|End|ElapsedRaw|AllocTRES|NodeList|JobName"
ROW = "1|c1|lab|COMPLETED|2026-07-03T09:00:00|2026-07-03T09:00:00|2026-07-03T10:00:00|3600|gres/gpu=1|gpu01|train"


def parse(text: str | bytes, *, cluster: str = "c1", zone: ZoneInfo | None = UTC_ZONE, **more) -> ParsedExtract:
    content = text.encode() if isinstance(text, str) else text
    parsed = parse_sacct_text(content, cluster=cluster, zone=zone, **more)
    assert parsed.records == len(parsed.frame) + parsed.steps_ignored + len(parsed.quarantined)
    return parsed


def quarantined(parsed: ParsedExtract) -> list[tuple[int, str]]:
    return [(record.line, record.reason) for record in parsed.quarantined]


def test_a_delimiter_in_the_last_field_is_part_of_it_and_in_a_middle_field_quarantined_with_its_line() -> None:
    parsed = parse((CASES / "S07" / "sacct.psv").read_bytes())

    assert parsed.frame.select("JobIDRaw", "JobName").rows() == [("71", "crazy|name")]
    assert [(line, reason[:2]) for line, reason in quarantined(parsed)] == [(3, "15")]


def test_a_delimiter_in_free_text_is_put_back_where_only_one_reading_fits() -> None:
    header = HEADER.replace("|NodeList", "|Comment|NodeList")
    row = ROW.replace("|gpu01", '|cc=4711|ticket="A"|gpu01')

    parsed = parse(f"{header}\n{row}\n")

    assert parsed.frame.select("JobIDRaw", "NodeList", "JobName").rows() == [("1", "gpu01", "train")]


@pytest.mark.parametrize("delimiter", ["|", "^|^", "|#", "☃", "\x1f", "\t", ";", "@@"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_delimiter_with_or_without_a_byte_order_mark_reads_the_same(delimiter: str, end: str, mark: str) -> None:
    text = mark + end.join([HEADER, ROW, ""]).replace("|", delimiter)

    parsed = parse(text)

    assert parsed.frame.drop("line").equals(parse(f"{HEADER}\n{ROW}\n").frame.drop("line"))


def test_a_trailing_delimiter_is_no_column() -> None:
    parsed = parse(f"{HEADER}|\n{ROW}|\n{ROW}\n")

    assert parsed.frame["JobName"].to_list() == ["train"]
    assert quarantined(parsed) == [(3, "10 fields where 11 are named: the record is cut off")]


def test_a_record_broken_over_lines_is_put_together_at_the_line_where_it_begins() -> None:
    header = HEADER.replace("|JobName", "|SubmitLine|JobName")
    broken = ROW.replace("|train", "|sbatch --wrap 'a\nb\nc'|train")

    parsed = parse(f"{header}\n{broken}\n{ROW.replace('|train', '||train')}\n")

    assert parsed.frame.select("line", "JobName").rows() == [(2, "train"), (5, "train")]
    assert parsed.quarantined == ()


def test_a_truncated_object_loses_its_last_record_only() -> None:
    parsed = parse(f"{HEADER}\n{ROW}\n{ROW[:60]}")

    assert parsed.frame["line"].to_list() == [2]
    assert quarantined(parsed) == [(3, "7 fields where 11 are named: the record is cut off")]


def test_a_last_record_that_may_be_cut_off_unnoticed_is_not_billed() -> None:
    fields = HEADER.split("|")
    order = [name for name in fields if name != "AllocTRES"] + ["AllocTRES"]
    values = dict(zip(fields, ROW.split("|"), strict=True)) | {"AllocTRES": "gres/gpu=16"}
    text = "|".join(order) + "\n" + "|".join(values[name] for name in order)

    whole, cut = parse(text + "\n"), parse(text[:-1])

    assert whole.frame["AllocTRES"].to_list() == ["gres/gpu=16"]
    assert [line for line, _ in quarantined(cut)] == [2]


def test_bytes_that_are_no_utf8_are_replaced_and_the_record_marked() -> None:
    parsed = parse(f"{HEADER}\n{ROW}".encode() + b"\xff\xfe\n" + ROW.encode() + "ñ\n".encode())

    assert parsed.frame.select("JobName", "has_replaced_bytes").rows() == [("train��", True), ("trainñ", False)]


@pytest.mark.parametrize(
    ("change", "to", "reason"),
    [
        ("COMPLETED", "FOO", "unknown state FOO"),
        ("|1|", "|x|", "JobIDRaw"),
        ("10:00:00|3600", "08:00:00|3600", "End is 3600 s before Start"),
        ("|3600|", "|99|", ""),
        ("|3600|", "|soon|", "ElapsedRaw soon is no duration"),
        ("|2026-07-03T10:00:00|", "|2026-13-03T10:00:00|", "End 2026-13-03T10:00:00 does not exist in UTC"),
        ("|2026-07-03T10:00:00|", "|Unknown|", "state COMPLETED without an End"),
        ("|gres/gpu=1|", "|gres/gpu=1,gres/gpu:a100=2|", "AllocTRES: typed gres/gpu entries add up to 2"),
        ("|gres/gpu=1|", "|four GPUs|", "AllocTRES four GPUs is no list of name=count"),
        ("|gpu01|", "|gpu01 and more|", "host list"),
        ("|c1|", "|c2|", "a record of cluster c2, not of c1"),
    ],
)
def test_a_record_that_cannot_be_read_is_quarantined_with_its_line_and_its_reason(
    change: str, to: str, reason: str
) -> None:
    bad = f"|{ROW}|".replace(change, to, 1)[1:-1] if change != "|1|" else ROW.replace("1|", "x|", 1)

    parsed = parse(f"{HEADER}\n{ROW}\n{bad}\n")

    if reason:
        assert [line for line, _ in quarantined(parsed)] == [3]
        expected = "JobID x is no job id" if reason == "JobIDRaw" else reason
        assert quarantined(parsed)[0][1].startswith(expected)
    else:
        assert parsed.quarantined == ()


def test_every_cluster_is_read_where_none_is_named() -> None:
    parsed = parse(f"{HEADER}\n{ROW}\n{ROW.replace('|c1|', '|c2|')}\n", cluster="")

    assert parsed.frame["cluster"].to_list() == ["c1", "c2"]


def test_a_local_time_without_a_zone_is_refused_record_by_record() -> None:
    content = (CASES / "S16" / "sacct.psv").read_bytes()

    parsed = parse(content, zone=None)

    assert parsed.frame["JobIDRaw"].to_list() == ["1"]
    assert quarantined(parsed) == [
        (3, "Submit 2026-07-31T23:00:00 has no UTC offset and the cluster has no zone: set it, nothing is guessed")
    ]


def test_a_missing_column_is_said_in_one_line() -> None:
    with pytest.raises(UnreadableExtract, match="no column State, Start"):
        parse("JobIDRaw|Account|AllocTRES|End\n1|lab|gres/gpu=1|2026-07-03T10:00:00\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a|b|c\n1|2|3\n", "no header and no known layout: name the columns with --fields"),
        (b"JobID     State\n--------- ---------\n1  RUNNING\n", "aligned output"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        ("JobIDRaw|State".encode("utf-16"), "UTF-16"),
    ],
)
def test_an_object_that_cannot_be_read_at_all_says_what_to_do(content: bytes, message: str) -> None:
    with pytest.raises(UnreadableExtract, match=message):
        parse(content)


@pytest.mark.parametrize("content", [b"", b"\n\n", HEADER.encode()])
def test_an_empty_extract_has_no_records(content: bytes) -> None:
    assert parse(content).records == 0


def test_a_column_that_stands_twice_must_have_one_value() -> None:
    header = f"{HEADER}|End"
    same, other = f"{ROW}|2026-07-03T10:00:00", f"{ROW}|2026-07-03T11:00:00"

    parsed = parse(f"{header}\n{same}\n{other}\n")

    assert parsed.frame["line"].to_list() == [2]
    assert quarantined(parsed) == [(3, "a column stands twice, with different values")]


def test_an_unknown_layout_without_a_header_is_read_by_the_fields_that_are_named() -> None:
    fields = HEADER.split("|")

    parsed = parse(f"{ROW}\n", fields=fields)

    assert parsed.frame.select("line", "NodeList").rows() == [(1, "gpu01")]
    with pytest.raises(UnreadableExtract, match="Colour"):
        parse(f"{ROW}\n", fields=[*fields[:-1], "Colour"])


def test_steps_repeat_their_job_and_are_only_counted() -> None:
    steps = "".join(ROW.replace("1|", f"1.{step}|", 1) + "\n" for step in ("batch", "extern", "0"))

    parsed = parse(f"{HEADER}\n{ROW}\n{steps}")

    assert (len(parsed.frame), parsed.steps_ignored) == (1, 3)


def test_partitions_that_got_or_asked_for_gpus_are_known() -> None:
    header = f"{HEADER}|Partition|ReqTRES"
    asked = ROW.replace("gres/gpu=1", "cpu=1")

    parsed = parse(f"{header}\n{ROW}|big|\n{asked}|mid|gres/gpu=2\n{asked}|cpu|cpu=1\n")

    assert parsed.gpu_partitions == {"big", "mid"}


@pytest.mark.parametrize("name", ["fake-line-break", "one-multiline", "multiple-multiline"])
def test_public_records_broken_over_lines_are_put_together(name: str) -> None:
    content = shared_file("data", "sacct", "gcm", f"sample-sacct-{name}.txt").read_bytes()

    parsed = parse(content, cluster="")

    assert parsed.quarantined == ()
    assert parsed.frame["State"].unique().sort().to_list() == ["FAILED", "REQUEUED"]


def test_public_invalid_bytes_and_accents_load() -> None:
    invalid = shared_file("data", "sacct", "gcm", "sample-sacct-output-invalid-utf8.txt").read_bytes()
    accents = shared_file("data", "sacct", "xdmod", "utf8-multibyte-chars.log").read_bytes()

    parsed, accented = parse(invalid, cluster=""), parse(accents, cluster="")

    assert (parsed.records, parsed.quarantined) == (11, ())
    assert accented.frame["JobName"].to_list() == ["aàb"]


def test_public_unknown_states_are_quarantined() -> None:
    content = shared_file("data", "sacct", "xdmod", "unknown-job-state.log").read_bytes()

    parsed = parse(content, cluster="")

    assert quarantined(parsed) == [(1, "unknown state FOO"), (2, "unknown state BAR")]


def test_the_wrapper_of_a_shell_stub_is_noise_and_its_made_up_rows_contradict_themselves() -> None:
    content = shared_file("data", "sacct", "ceems", "sacct_stub.sh").read_bytes()

    parsed = parse(content, cluster="")

    assert (parsed.records, len(parsed.frame)) == (14, 3)
    assert all(record.reason for record in parsed.quarantined)
