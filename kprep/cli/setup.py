"""init, doctor."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

import click

from kprep.cli import output
from kprep.cli.app import EXIT_FAILED, command, exits, print_json
from kprep.core.errors import ConfigError

TEMPLATE = ("kprep.yaml", "questions.yaml", "documents/welcome.md")


@click.command("init")
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--name", help="Name of the knowledge base (default: the folder's name).")
@click.option("--dry-run", is_flag=True, help="Only list what would be written.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
def init_command(directory: Path, name: str | None, dry_run: bool, as_json: bool) -> None:
    """Write a knowledge base that runs as it is: kprep.yaml, rules, questions and a first document.

    Never overwrites: a folder that has one of these files already is left alone.
    """
    from kprep.config import NAME

    folder = directory.expanduser().resolve()
    chosen = name or _name_from(folder.name)
    if not NAME.fullmatch(chosen):
        raise ConfigError(f"--name {chosen!r}: use lower-case letters, digits, - and _, starting with a letter")
    files = _files(chosen)
    taken = [path for path in files if (folder / path).exists()]
    if taken:
        raise ConfigError(f"{folder} already has {', '.join(taken)}: choose an empty folder, nothing was written")
    if not dry_run:
        _write(folder, files)
    if as_json:
        print_json({"directory": str(folder), "knowledge_base": chosen, "files": list(files), "dry_run": dry_run})
        return
    output.console.print(f"{'would write' if dry_run else 'wrote'} knowledge base [bold]{chosen}[/] to {folder}")
    for path in files:
        output.console.print(f"  {path}")
    ours = {Path(path).parts[0] for path in files}
    beside = sorted(path.name for path in folder.glob("[!.]*") if path.name not in ours) if folder.is_dir() else []
    if beside:
        output.console.print(
            f"not read yet: {', '.join(beside[:3])}{' and others' if len(beside) > 3 else ''}: move documents into "
            "documents/, or name their folder as a source in kprep.yaml"
        )
    if not dry_run:
        where = "" if folder == Path.cwd() else f"cd {directory} && "
        output.console.print(f"next: [bold]{where}kprep run[/]")


def _name_from(folder_name: str) -> str:
    """A valid name made of a folder's name."""
    name = re.sub(r"[^a-z0-9_-]+", "-", folder_name.lower()).strip("-_").lstrip("-_0123456789")
    return name[:48] or "knowledge"


def _files(name: str) -> dict[str, str]:
    from cleaning import default_rules_text
    from redaction import default_policy_text

    template = resources.files("kprep.cli").joinpath("template")
    files = {path: template.joinpath(path).read_text(encoding="utf-8").replace("@NAME@", name) for path in TEMPLATE}
    return {**files, "rules/cleaning.yaml": default_rules_text(), "rules/redaction.yaml": default_policy_text()}


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}") from error


@command("doctor")
def doctor_command(folder: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Check this installation and knowledge base, and name what is missing or wrong with the remedy."""
    from kprep import offline

    offline.prepare_environment()
    from flows.doctor import examine

    findings = examine(folder, data_dir)
    if as_json:
        print_json({"ok": all(item["ok"] for item in findings), "checks": findings})
    else:
        _show(findings)
    if not all(item["ok"] for item in findings):
        exits(EXIT_FAILED)


def _show(findings: list[dict[str, Any]]) -> None:
    from rich.markup import escape

    for item in findings:
        mark = "[green]ok  [/]" if item["ok"] else "[bold red]FAIL[/]"
        output.console.print(f"{mark} {item['check']:<16} {escape(item['found'])}", soft_wrap=True)
        if not item["ok"]:
            output.console.print(f"     {'':<16} [bold]remedy:[/] {escape(item['remedy'])}", soft_wrap=True)


COMMANDS = {"init": init_command, "doctor": doctor_command}
