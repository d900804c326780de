"""[events], [automation] and [instance]: nothing happens by itself that nobody switched on."""

import tomllib
from pathlib import Path

import pytest

from resources.operation_settings import Automation, Events, Instance
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, demo_settings, read_settings

SHORT = '[lake]\nroot = "lake"\n[billing]\ncurrency = "EUR"\nfirst_day = 2026-10-01\n[clusters.c]\n'


def settings_of(text: str) -> Settings:
    return read_settings(tomllib.loads(SHORT + text), folder=Path("/somewhere"))


def test_what_arrives_is_taken_in_by_itself_and_nothing_is_let_out_or_sent() -> None:
    settings = settings_of("")

    assert settings.events == Events()
    assert settings.events.queue_url is None
    assert settings.automation == Automation(enabled=True, publish=False, send=False)
    assert settings.instance == Instance(storage="sqlite")


def test_the_demo_is_a_month_that_is_over_and_does_not_move_by_itself(tmp_path: Path) -> None:
    assert not demo_settings(tmp_path).automation.enabled


def test_what_is_said_of_events_automation_and_instance_holds() -> None:
    settings = settings_of("""
        [events]
        queue_url = "https://sqs.eu-west-1.amazonaws.com/1/landed"
        look_every_seconds = 5
        [automation]
        publish = true
        [instance]
        storage = "postgres"
        runs_at_once = 16
    """)

    assert settings.events.queue_url == "https://sqs.eu-west-1.amazonaws.com/1/landed"
    assert settings.events.look_every_seconds == 5
    assert settings.automation == Automation(publish=True)
    assert (settings.instance.storage, settings.instance.runs_at_once) == ("postgres", 16)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[events]\nlook_every_seconds = 0", "events.look_every_seconds is 0; it must be from 1 to 3600"),
        ("[events]\nqueue = 'x'", "unknown setting events.queue; did you mean events.queue_url?"),
        ("[events]\nlargest_incoming_mib = 5000", "events.largest_incoming_mib is 5000; it must be from 1 to 4096"),
        ("[automation]\npublish = 'yes'", "automation.publish is 'yes'; it must be true or false"),
        ("[automation]\nsend = true", "only what is published is sent"),
        ("[instance]\nstorage = 'mysql'", "instance.storage is 'mysql'; it must be one of: sqlite, postgres"),
        ("[instance]\nruns_at_once = 0", "instance.runs_at_once is 0; it must be from 1 to 1000"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(SettingsRefused, match=said.replace("?", r"\?")):
        settings_of(text)
