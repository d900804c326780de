"""`chargeback` in this very process and folder: what it says that succeeds, and what it says that is refused."""

from typer.testing import CliRunner, Result

from orchestration.cli import app
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused


def ran(*arguments: str, typed: str | None = None) -> Result:
    """What a command does; its refusals are those that `main` prints."""
    result = CliRunner().invoke(app, arguments, input=typed)
    assert isinstance(result.exception, SystemExit | SettingsRefused | PeopleRefused | None), result.exception
    return result


def done(*arguments: str) -> str:
    """What a command says that succeeds."""
    result = ran(*arguments)
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return " ".join(result.output.split())


def refused(*arguments: str) -> str:
    """What a command says that cannot do what it is asked."""
    result = ran(*arguments)
    assert result.exit_code != 0, (arguments, result.output)
    return " ".join(f"{result.output} {result.exception}".split())
