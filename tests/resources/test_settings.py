"""chargeback.toml: what holds where nothing is said, and one clear line for everything that cannot be meant."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from chargeback.pricing.credits import NO_CREDITS, CreditPolicies
from orchestration.init import write_settings
from resources.lake_binding import bind_lake
from resources.open_store import store_at
from resources.policy_settings import Policies
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, load_settings, read_settings

WHOLE = """
[lake]
root = "lake"
[billing]
timezone = "Europe/Amsterdam"
currency = "EUR"
first_day = 2026-10-01
[clusters.slurm-a]
timezone = "UTC"
tiers = {scavenger = "preemptible"}
[clusters.k8s-b]
scheduler = "kubernetes"
scrape_seconds = 15
classes = {nb = "interactive"}
[accelerators]
H100 = "h100-sxm5-80gb"
[policies]
quarantine_limit = 2
owner_precedence = ["namespace", "user"]
active_above_percent = 35
staleness_scrapes = 5
[journal]
company = "C7"
"""


SHORT = '[lake]\nroot = "lake"\n[billing]\ncurrency = "EUR"\nfirst_day = 2026-10-01\n[clusters.c]'


def settings_of(text: str, folder: Path = Path("/somewhere")) -> Settings:
    return read_settings(tomllib.loads(text), folder=folder)


def test_a_short_file_says_where_the_lake_is_and_everything_else_has_a_default() -> None:
    settings = settings_of(SHORT)

    assert settings.location.root == "/somewhere/lake"
    assert settings.home == Path("/somewhere/.dagster")
    assert (settings.timezone, settings.mode) == ("UTC", "parallel")
    assert settings.policies == Policies()
    assert settings.cluster("c").zone is None
    assert not settings.is_demo


def test_what_is_said_holds() -> None:
    settings = settings_of(WHOLE)

    assert settings.first_day == date(2026, 10, 1)
    assert settings.cluster("slurm-a").tiers == {"scavenger": "preemptible"}
    assert settings.accelerators == {"h100": "h100-sxm5-80gb"}
    assert settings.policies.quarantine_limit == 2
    assert settings.journal.company == "C7"
    assert settings.printed_policies()["unknown_accounts"] == "root, default"


def test_a_cluster_says_its_scheduler_its_classes_and_how_often_its_telemetry_is_scraped() -> None:
    settings = settings_of(WHOLE)

    assert (settings.cluster("k8s-b").scheduler, settings.cluster("slurm-a").scheduler) == ("kubernetes", "slurm")
    assert settings.cluster("k8s-b").classes == {"nb": "interactive"}
    assert (settings.staleness_seconds("k8s-b"), settings.staleness_seconds("slurm-a")) == (5 * 15, 5 * 30)


def test_which_record_names_the_owner_first_and_what_counts_as_active_are_printed_policies() -> None:
    chosen, by_default = settings_of(WHOLE).printed_policies(), settings_of(SHORT).printed_policies()

    assert (chosen["owner_precedence"], chosen["active_above_percent"]) == ("namespace, user", "35")
    assert by_default["owner_precedence"] == "label, queue, namespace, account, user"
    assert (by_default["active_above_percent"], by_default["staleness_scrapes"]) == ("20", "3")


def test_nothing_is_forgiven_unless_the_policies_say_so_and_what_they_say_is_printed() -> None:
    forgiving = 'suspended = "credited"\ncredit_platform_fault_cap_hours = 24\ncredit_preempted_minutes = 30\n[journal]'

    chosen, by_default = settings_of(WHOLE.replace("[journal]", forgiving)), settings_of(WHOLE)

    assert by_default.policies.money.credits == NO_CREDITS
    assert by_default.printed_policies()["credit_platform_fault_cap_hours"] == "0"
    assert chosen.policies.money.credits == CreditPolicies(
        platform_fault_cap_hours=24, preempted_minutes=30, suspended=True
    )
    assert chosen.printed_policies()["suspended"] == "credited"
    assert chosen.printed_policies()["credit_preempted_minutes"] == "30"


def test_what_is_reserved_and_unused_is_charged_unless_the_settings_say_that_it_is_reported() -> None:
    reported = settings_of(WHOLE.replace("[journal]", 'reserved_unused = "reported"\n[journal]'))

    assert settings_of(WHOLE).policies.money.charges_reserved_unused
    assert not reported.policies.money.charges_reserved_unused
    assert settings_of(WHOLE).printed_policies()["platform_operations"] == "none"


def test_the_platforms_operations_are_named_by_account_or_qos_and_by_nothing_that_users_write() -> None:
    named = WHOLE.replace("[journal]", 'platform_operations = ["account:burnin", "qos:health"]\n[journal]')

    assert settings_of(named).policies.platform_operations == ("account:burnin", "qos:health")
    with pytest.raises(SettingsRefused, match="must be account:NAME or qos:NAME"):
        settings_of(named.replace("qos:health", "label:health"))


def test_an_s3_lake_is_left_as_it_is_written() -> None:
    assert settings_of(WHOLE.replace('"lake"', '"s3://bucket/lake"')).location.root == "s3://bucket/lake"


@pytest.mark.parametrize(
    ("instead", "of", "told"),
    [
        ("[lakes]", "[lake]", "unknown setting lakes; did you mean lake?"),
        ("currncy", "currency", "unknown setting billing.currncy; did you mean billing.currency?"),
        ("zone", "timezone", "unknown setting billing.zone; did you mean billing.timezone?"),
        ("quarantine = 2", "quarantine_limit = 2", "unknown setting policies.quarantine; did you mean policies."),
        ("quarantine_limit = -1", "quarantine_limit = 2", "policies.quarantine_limit is -1; it must be a whole number"),
        ("quarantine_limit = true", "quarantine_limit = 2", "policies.quarantine_limit is True; it must be a whole"),
        ('unknown_accounts = "root"', "quarantine_limit = 2", "policies.unknown_accounts is 'root'; it must be a list"),
        ('rounding = "up"', "quarantine_limit = 2", "policies.rounding is 'up'; it must be one of: half-even"),
        ('company = ["C7"]', 'company = "C7"', "journal.company is ['C7']; it must be text in quotes"),
        ('suspended = "free"', "quarantine_limit = 2", "policies.suspended is 'free'; it must be one of: charged, cr"),
        ("root = 7", 'root = "lake"', "lake.root is 7; it must be text in quotes"),
        ('home = ".d"', 'root = "lake"', "setting lake.root is missing; add it to [lake]"),
        ('"Amsterdam"', '"Europe/Amsterdam"', "billing.timezone is 'Amsterdam', which is no IANA zone"),
        (
            "quantity_cap = 2",
            "quarantine_limit = 2",
            "; known: suspended, credit_platform_fault_cap_hours, credit_pre",
        ),
        (
            'timezone = "CEST"\ntiers',
            'timezone = "UTC"\ntiers',
            "slurm-a.timezone is 'CEST', which is no IANA zone",
        ),
        ('"Euro"', '"EUR"', "billing.currency: "),
        ('"2026-10-01"', "2026-10-01", "billing.first_day is '2026-10-01'; it must be a date, written without quotes"),
        ("2026-10-01T00:00:00", "2026-10-01", "it must be a date, written without quotes: 2026-10-01"),
        ('contact = "us"', "first_day = 2026-10-01", "setting billing.first_day is missing; add it to [billing]"),
        ('"cheap"', '"preemptible"', "clusters.slurm-a.tiers.scavenger is 'cheap'; it must be one of: standard, "),
        ('[clusters."a|b"]', "[clusters.slurm-a]", "cluster 'a|b': a name is of letters, digits"),
        ("[clusters]\n", "[clusters.slurm-a]", "clusters.timezone is 'UTC'; it must be a table"),
        ("8", '"h100-sxm5-80gb"', "accelerators.H100 is 8; it must be text in quotes"),
        ('"pbs"', '"kubernetes"', "clusters.k8s-b.scheduler is 'pbs'; it must be one of: slurm, kubernetes"),
        ('"notebook"', '"interactive"', "clusters.k8s-b.classes.nb is 'notebook'; it must be one of: batch, service, "),
        ("scrape_seconds = 0", "scrape_seconds = 15", "clusters.k8s-b.scrape_seconds is 0; it must be from 1 to 3600"),
        ("scrape_seconds = 3601", "scrape_seconds = 15", "scrape_seconds is 3601; it must be from 1 to 3600"),
        ('scrape_seconds = "15s"', "scrape_seconds = 15", "scrape_seconds is '15s'; it must be a whole number"),
        ("scrape = 15", "scrape_seconds = 15", "unknown setting clusters.k8s-b.scrape; did you mean clusters.k8s-b."),
        ('["team"]', '["namespace", "user"]', "policies.owner_precedence is 'team'; it must be one of: label, queue, "),
        ('"namespace"', '["namespace", "user"]', "policies.owner_precedence is 'namespace'; it must be a list"),
        ("active_above_percent = 0.2", "active_above_percent = 35", "active_above_percent is 0.2; it must be a whole"),
        ("staleness_scrapes = -3", "staleness_scrapes = 5", "policies.staleness_scrapes is -3; it must be a whole num"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused_in_one_line(instead: str, of: str, told: str) -> None:
    assert of in WHOLE

    with pytest.raises(SettingsRefused) as refused:
        settings_of(WHOLE.replace(of, instead, 1))

    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_mode_that_charges_is_refused_until_it_is_built() -> None:
    with pytest.raises(SettingsRefused, match=r"billing\.mode is 'charge'; it must be one of: parallel"):
        settings_of(WHOLE.replace("[billing]", '[billing]\nmode = "charge"'))


def test_a_file_without_a_cluster_is_refused() -> None:
    with pytest.raises(SettingsRefused, match=r"no cluster is named; add \[clusters.NAME\]"):
        settings_of('[lake]\nroot = "lake"\n[billing]\ncurrency = "EUR"\nfirst_day = 2026-10-01\n')


def test_an_unknown_cluster_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsRefused, match=r"cluster 'slurm-b' is not in chargeback\.toml; known: k8s-b, slurm-a"):
        settings_of(WHOLE).cluster("slurm-b")


def test_without_a_file_the_demo_holds_and_a_named_file_must_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHARGEBACK_TOML", raising=False)

    assert load_settings().is_demo
    with pytest.raises(SettingsRefused, match="does not exist; write one with: chargeback init"):
        load_settings(tmp_path / "chargeback.toml")


def test_a_file_that_is_no_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "chargeback.toml"
    path.write_text("[lake\nroot = 1\n")

    with pytest.raises(SettingsRefused, match=r"chargeback.toml is not TOML: .*line 1"):
        load_settings(path)


ANSWERS = {"root": "lake", "cluster": "gpu-prod", "zone": "Europe/Oslo", "billing_zone": "Europe/Amsterdam",
           "currency": "SEK", "first_day": "2026-11-01"}  # fmt: skip


def test_init_writes_a_file_that_every_command_can_read(tmp_path: Path) -> None:
    path = tmp_path / "chargeback.toml"

    write_settings(path, ANSWERS)

    settings = load_settings(path)
    assert settings.cluster("gpu-prod").timezone == "Europe/Oslo"
    assert (settings.timezone, settings.currency_code) == ("Europe/Amsterdam", "SEK")
    assert settings.first_day == date(2026, 11, 1)
    assert settings.mode == "parallel"


def test_init_writes_the_settings_of_a_kubernetes_cluster_and_asks_for_no_zone_of_its_times(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "chargeback.toml"
    answers = {**ANSWERS, "scheduler": "kubernetes", "cluster": None, "zone": None, "scrape_seconds": "15"}

    write_settings(path, answers)

    cluster = load_settings(path).cluster("kubernetes-a")
    assert (cluster.scheduler, cluster.timezone, cluster.scrape_seconds) == ("kubernetes", None, 15)
    assert "sacct" not in path.read_text()
    assert "PriorityClass" in path.read_text()
    assert "next: chargeback extract kubernetes --cluster kubernetes-a" in capfd.readouterr().out


def test_init_never_overwrites_a_file(tmp_path: Path) -> None:
    path = tmp_path / "chargeback.toml"
    path.write_text("ours")

    with pytest.raises(SettingsRefused, match="exists already; edit it, or remove it first"):
        write_settings(path, ANSWERS)

    assert path.read_text() == "ours"


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("first_day", "1 November", "first day '1 November' is no date; write it as 2026-10-01"),
        ("zone", "Oslo", "clusters.gpu-prod.timezone is 'Oslo', which is no IANA zone"),
        ("currency", "kroner", "billing.currency"),
        ("cluster", "gpu prod", "cluster 'gpu prod': a name is of letters"),
        ("scheduler", "pbs", "scheduler is 'pbs'; it must be one of: slurm, kubernetes"),
        ("scrape_seconds", "15s", "scrape seconds '15s' is no whole number; write it as 30"),
        ("scrape_seconds", "7200", "clusters.gpu-prod.scrape_seconds is 7200; it must be from 1 to 3600"),
        ("root", 'a"quote\\', None),
    ],
)
def test_init_writes_nothing_for_an_impossible_answer(tmp_path: Path, name: str, answer: str, told: str | None) -> None:
    path = tmp_path / "chargeback.toml"

    if told is None:
        write_settings(path, {**ANSWERS, name: answer})
        assert load_settings(path).location.root == str(tmp_path / answer)
        return
    with pytest.raises(SettingsRefused) as refused:
        write_settings(path, {**ANSWERS, name: answer})

    assert told in str(refused.value)
    assert not path.exists()


@pytest.mark.parametrize(
    ("instead", "of", "told"),
    [
        ("UTC", "Europe/Amsterdam", "this lake bills in timezone Europe/Amsterdam, the settings say UTC"),
        ("USD", "EUR", "this lake bills in currency EUR, the settings say USD"),
    ],
)
def test_a_lake_keeps_the_zone_and_currency_that_it_was_begun_with(
    tmp_path: Path, instead: str, of: str, told: str
) -> None:
    settings = settings_of(WHOLE, tmp_path)
    bind_lake(store_at(settings.location), settings)

    with pytest.raises(SettingsRefused) as refused:
        bind_lake(store_at(settings.location), settings_of(WHOLE.replace(of, instead), tmp_path))

    assert told in str(refused.value)
    assert "put" in str(refused.value)


def test_encryption_and_locks_of_a_bucket_are_read() -> None:
    protected = """
        [lake]
        root = "s3://lake"
        encryption = "aws:kms"
        kms_key_id = "alias/chargeback"
        lock_days = 400
    """
    lake = tomllib.loads(protected)["lake"]

    location = read_settings({**tomllib.loads(WHOLE), "lake": lake}, folder=Path("/x")).location

    assert (location.encryption, location.kms_key_id, location.lock_days) == ("aws:kms", "alias/chargeback", 400)


def test_a_lock_on_a_directory_is_refused() -> None:
    lake = {"root": "lake", "lock_days": 30}

    with pytest.raises(SettingsRefused, match=r"\[lake\] .* are a bucket's, not a directory's"):
        read_settings({**tomllib.loads(WHOLE), "lake": lake}, folder=Path("/x"))


def test_the_payment_terms_of_an_invoice_are_words_or_refused() -> None:
    assert settings_of(SHORT + "\n[focus]\npayment_terms = 'Net 30'").focus.payment_terms == "Net 30"
    assert settings_of(SHORT).focus.payment_terms
    with pytest.raises(SettingsRefused, match="payment_terms is empty"):
        settings_of(SHORT + "\n[focus]\npayment_terms = ' '")
