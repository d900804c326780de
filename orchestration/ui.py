"""`chargeback ui`: Dagster's web server and daemon on this lake, until Ctrl-C."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from orchestration.instance import open_instance
from orchestration.moving import what_is_on
from resources.setting_kinds import SettingsRefused
from resources.settings import SETTINGS_VARIABLE, load_settings

SECONDS_TO_STOP = 10
LONGEST_TICK_SECONDS = "300"
"""A first look at a large landing takes longer than Dagster's own 60 s."""


def serve(*, host: str, port: int, config: Path | None) -> int:
    """Run both programs; when one of them ends, or a signal comes, end the other. Returns the exit code.

    Raises SettingsRefused if nothing can listen there.
    """
    settings = load_settings(config)
    _refuse_taken(host, port)
    instance = open_instance(settings)
    # Dagster warns of its own preview features at every load; runs started from the UI would show it to everybody.
    environment = {
        "PYTHONWARNINGS": "ignore",
        "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": LONGEST_TICK_SECONDS,
        **os.environ,
    }
    if config:
        environment[SETTINGS_VARIABLE] = str(config.resolve())
    location = ["-m", "orchestration.definitions"]
    for asked_to_end in (signal.SIGINT, signal.SIGTERM):  # a shell may have started us with these ignored
        signal.signal(asked_to_end, signal.default_int_handler)
    programs: list[subprocess.Popen[bytes]] = []
    try:
        # The instance, its home and the settings file reach both programs by their environment.
        for module, command in (
            ("dagster_webserver", [*location, "-h", host, "-p", str(port)]),
            ("dagster._daemon", ["run", *location]),
        ):
            programs.append(subprocess.Popen([sys.executable, "-m", module, *command], env=environment))  # noqa: S603
        console = Console(soft_wrap=True, highlight=False)
        console.print(f"starting the Dagster UI on http://{host}:{port} (Ctrl-C ends it)")
        console.print(what_is_on(settings, instance), markup=False)
        has_answered = False
        while all(program.poll() is None for program in programs):
            if not has_answered and _answers(host, port):
                console.print(f"the Dagster UI answers on http://{host}:{port}")
                has_answered = True
            time.sleep(0.5)
        return next(code for program in programs if (code := program.poll()) is not None)
    except KeyboardInterrupt:
        return 0
    finally:
        _stop(programs)


def _refuse_taken(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except OSError as error:
        raise SettingsRefused(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another with --port or --host"
        ) from error


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _stop(programs: list[subprocess.Popen[bytes]]) -> None:
    """End both for certain: a second Ctrl-C while they end must not leave one behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for program in programs:
        if program.poll() is None:
            program.send_signal(signal.SIGINT)
    for program in programs:
        try:
            program.wait(timeout=SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
