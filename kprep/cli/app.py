"""The command group, the options every command has, and how errors reach a person."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kprep import __version__
from kprep.core.errors import ConfigError, PrepError
from kprep.core.legible import no_text

if TYPE_CHECKING:
    from flows.workspace import Workspace

EXIT_FAILED, EXIT_USAGE, EXIT_REFUSED, EXIT_WAITING, EXIT_INTERRUPTED = 1, 2, 3, 4, 130
CommandT = TypeVar("CommandT", bound=Callable[..., Any])

COMMANDS = {
    "init": "kprep.cli.setup",
    "doctor": "kprep.cli.setup",
    "plan": "kprep.cli.running",
    "run": "kprep.cli.running",
    "status": "kprep.cli.running",
    "try": "kprep.cli.trying",
    "search": "kprep.cli.reading",
    "get": "kprep.cli.reading",
    "relations": "kprep.cli.reading",
    "chunks": "kprep.cli.reading",
    "explain": "kprep.cli.explaining",
    "release": "kprep.cli.releases",
    "review": "kprep.cli.reviewing",
    "eval": "kprep.cli.evaluating",
    "questions": "kprep.cli.questions",
    "principals": "kprep.cli.access",
    "suppress": "kprep.cli.access",
    "suppressed": "kprep.cli.access",
    "candidates": "kprep.cli.candidates",
    "forget": "kprep.cli.access",
    "verify": "kprep.cli.verifying",
}
"""Command -> module that defines it: a command loads only what it needs."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        import importlib

        module = importlib.import_module(COMMANDS[cmd_name])
        command: click.Command = module.COMMANDS[cmd_name]
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "--version", prog_name="kprep")
def cli() -> None:
    """Turn an organisation's documents into one set of citable, permission-carrying chunks, and publish it whole.

    \b
    A first knowledge base:
      kprep init handbook && cd handbook     a folder with kprep.yaml, rules and questions
      kprep plan                             what a run would do
      kprep run                              prepare, check and publish
      kprep search "how long is a refund"    ask what is published

    Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 refused by a gate, 4 waits for an operator.
    """


def common(command: CommandT) -> CommandT:
    """Options every command has: --kb, --data-dir, --json."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout."),
        click.option(
            "--data-dir",
            type=click.Path(path_type=Path),
            help="Data directory (default: KPREP_DATA_DIR, or .kprep beside kprep.yaml).",
        ),
        click.option(
            "--kb",
            "folder",
            type=click.Path(path_type=Path),
            help="Folder of the knowledge base (default: the nearest kprep.yaml upwards).",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def workspace(folder: Path | None, data_dir: Path | None) -> Iterator[Workspace]:
    """The knowledge base the options name, with the environment set before any library reads it."""
    from kprep import config, offline

    offline.prepare_environment()
    from flows.workspace import Workspace

    found = folder if folder is not None else config.find_folder(Path.cwd())
    opened = Workspace.open(found, data_dir)
    try:
        yield opened
    finally:
        opened.close()


def print_json(value: Any) -> None:
    """A value as JSON on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def run() -> None:
    """Run the command line and exit with its code."""
    as_json = "--json" in sys.argv[1:]
    try:
        code: Any = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        code = EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = EXIT_USAGE
    except click.exceptions.Exit as error:
        code = error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:  # noqa: BLE001 -- the last place an error can be made readable
        code = explain_error(error, as_json=as_json)
    sys.exit(code if isinstance(code, int) else 0)


def explain_error(error: Exception, *, as_json: bool) -> int:
    """Print what went wrong, without a traceback; the exit code."""
    code = EXIT_USAGE if isinstance(error, ConfigError) else EXIT_FAILED
    reason, message = said_of(error)
    if reason == "internal_error" and os.environ.get("KPREP_DEBUG"):
        raise error
    if as_json:
        print_json({"error": {"reason": reason, "message": message}})
    click.echo(click.style("error: ", fg="red", bold=True) + message, err=True)
    return code


def said_of(error: Exception) -> tuple[str, str]:
    """Reason code and message of any error."""
    if isinstance(error, PrepError):
        return error.reason, error.message
    if isinstance(error, OSError) and error.filename is not None:
        return "file_unusable", (
            f"{os.fsdecode(error.filename)}: {error.strerror}. Give it space and the right to write, or choose "
            "another data directory (--data-dir, KPREP_DATA_DIR)"
        )
    name = f" ({error.name})" if isinstance(error, ModuleNotFoundError) else ""
    return "internal_error", (
        f"unexpected {type(error).__name__}{name} {_place(error)}: set KPREP_DEBUG=1 for more, and report it"
    )


def _place(error: Exception) -> str:
    """Innermost place an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"in {trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}" if trace is not None else ""


def exits(code: int) -> None:
    """End the command with this exit code."""
    raise click.exceptions.Exit(code)


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with the common options."""

    def wrap(function: Callable[..., Any]) -> click.Command:
        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            for parameter, value in options.items():
                for given in value if isinstance(value, tuple) else (value,):
                    if isinstance(given, str) and (reason := no_text(given)):
                        raise click.UsageError(f"{parameter} {given!a} cannot be used: {reason}")
            return function(*arguments, **options)

        return click.command(name, cls=click.Command, **settings)(common(call))

    return wrap
