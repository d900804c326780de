"""`chargeback simulate`: landed as its sources would have, with settings beside it that every command accepts."""

import json
import subprocess
from pathlib import Path

from chargeback.simulation.estate_plan import CLUSTERS
from resources.landing import Landing
from resources.open_store import store_at
from resources.settings import load_settings
from tests.estates import command_line


def _simulate(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    asked = ("simulate", "--gpus", "16", "--days", "3", "--seed", "1", *options)
    return subprocess.run(command_line(*asked), cwd=folder, capture_output=True, text=True, check=False)


def test_an_estate_is_landed_with_its_settings_and_its_truth_and_says_what_comes_next(tmp_path: Path) -> None:
    outcome = _simulate(tmp_path, "--to", "lake/landing", "--json-truth", "truth.json")
    settings = load_settings(tmp_path / "chargeback.toml")
    landing = Landing(store_at(settings.location))

    assert outcome.returncode == 0, outcome.stderr
    assert "next: chargeback bill 2026-10" in outcome.stdout
    assert {name: cluster.scheduler for name, cluster in settings.clusters.items()} == CLUSTERS
    assert landing.misnamed() == []
    assert landing.clusters("dcgm") == sorted(CLUSTERS)
    assert len(landing.objects("slurm/sacct", "slurm-a")) == 3
    assert json.loads((tmp_path / "truth.json").read_text())["arguments"]["gpus"] == 16


def test_landing_it_again_changes_nothing_and_leaves_the_settings_that_stand_there(tmp_path: Path) -> None:
    _simulate(tmp_path, "--to", "lake")
    before = sorted(path for path in (tmp_path / "lake").rglob("*"))
    settings = tmp_path / "chargeback.toml"
    settings.write_text(settings.read_text().replace("EUR", "USD"))

    again = _simulate(tmp_path, "--to", "lake")

    assert again.returncode == 0, again.stderr
    assert "landed 0 objects" in again.stdout
    assert sorted(path for path in (tmp_path / "lake").rglob("*")) == before
    assert load_settings(settings).currency_code == "USD"


def test_an_estate_that_is_too_small_is_refused_in_one_line(tmp_path: Path) -> None:
    outcome = _simulate(tmp_path, "--to", "lake", "--gpus", "8")

    assert outcome.returncode == 2
    assert "take at least 16" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not (tmp_path / "lake").exists()
