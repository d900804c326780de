"""The CronJobs of infra/extract run commands that exist, with settings that are accepted and no right too many."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from orchestration.cli import app
from resources.settings import read_settings
from tests.architecture.source_tree import ROOT

MANIFESTS = sorted((ROOT / "infra" / "extract").glob("*.yaml"))
FOLDER = Path("/")


def documents(manifest: Path, kind: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(manifest.read_text(encoding="utf-8")) if each["kind"] == kind]


def containers(manifest: Path) -> list[dict[str, Any]]:
    return [
        container
        for job in documents(manifest, "CronJob")
        for container in job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    ]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.name)
def test_the_command_of_the_cronjob_exists_with_each_of_its_options(manifest: Path) -> None:
    for container in containers(manifest):
        program, group, name, *options = container["command"]
        command = get_command(app).commands[group].commands[name]  # type: ignore[attr-defined]
        known = {option for parameter in command.params for option in parameter.opts}
        assert program == "chargeback"
        assert {option for option in options if option.startswith("--")} <= known
        assert {option for parameter in command.params if parameter.required for option in parameter.opts} <= set(
            options
        )


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.name)
def test_the_cluster_of_the_command_is_in_the_settings_beside_it(manifest: Path) -> None:
    settings = [read_settings(tomllib.loads(each["data"]["chargeback.toml"]), folder=FOLDER)
                for each in documents(ROOT / "infra" / "extract" / "kubernetes-extract.yaml", "ConfigMap")]  # fmt: skip

    for container in containers(manifest):
        named = container["command"][container["command"].index("--cluster") + 1]
        assert [each.cluster(named).scheduler for each in settings] == ["kubernetes"]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.name)
def test_nothing_runs_as_root_or_can_write_to_its_image(manifest: Path) -> None:
    for job in documents(manifest, "CronJob"):
        pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in pod["containers"]:
            context = container["securityContext"]
            assert (context["readOnlyRootFilesystem"], context["allowPrivilegeEscalation"]) == (True, False)
            assert context["capabilities"] == {"drop": ["ALL"]}
        assert job["spec"]["concurrencyPolicy"] == "Forbid"


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.name)
def test_no_right_but_to_list(manifest: Path) -> None:
    rules = [rule for kind in ("ClusterRole", "Role") for each in documents(manifest, kind) for rule in each["rules"]]

    assert {verb for rule in rules for verb in rule["verbs"]} <= {"list"}
    assert not {"secrets", "configmaps", "*"} & {plural for rule in rules for plural in rule["resources"]}
