"""What the documentation says exists: commands, options, reason codes, gate codes, links, generated parts."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

import quality
from kprep.cli.app import cli
from kprep.core.errors import PrepError
from kprep.core.models import RawDocument
from kprep.core.signals import SIGNALS, signals_of
from parsers import PARSERS
from parsers.media_type import detect
from quality.spec import QUESTION_CLASSES

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs/guide").glob("*.md")])
OPERATING = ROOT / "docs/guide/operating.md"
OTHER_REASONS = {"source_changed", "source_limit", "permissions_unreadable", "personal_name", "rename_failed"}
"""Given by the run itself, without an error class."""
OTHER_CODES = {"text_doubtful"}
"""Codes a check gives beside its own name."""


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _commands(inner, (*path, name))


COMMANDS = dict(_commands(cli, ("kprep",)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_is_in_the_reference(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    assert command.help
    reference = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert f"## `{' '.join(path)}`\n" in reference
    silent = [
        option.opts[0]
        for option in command.params
        if isinstance(option, click.Option) and not option.help and option.name not in ("mode", "top_k")
    ]
    assert silent == []


@pytest.mark.req("C2.9")
def test_no_page_claims_that_both_arms_run_at_once() -> None:
    claim = r"\b(?:arms?|branch(?:es)?|keyword|dense|meaning)\b[^.\n]{0,80}\b(?:parallel|concurrently|simultaneously)\b"
    pages = {page.name: " ".join(page.read_text("utf-8").split()) for page in PAGES}
    assert [name for name, text in pages.items() if re.search(claim, text, re.IGNORECASE)] == []
    assert "The two arms are asked one after the other" in pages["questions.md"]


@pytest.mark.req("C5.7")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_claims_reasoning_over_relations(page: Path) -> None:
    assert re.search(r"ontolog|\b(?:RDF|OWL|SPARQL)\b|knowledge graph", page.read_text("utf-8"), re.IGNORECASE) is None


@pytest.mark.req("C7.7")
@pytest.mark.parametrize("page", sorted((ROOT / "docs/quality").glob("*.md")), ids=lambda page: page.name)
def test_figures_name_the_command_that_measures_them(page: Path) -> None:
    """Figures are a benchmark's, which stands here; what `kprep verify` and the gate check is no figure."""
    named = re.search(r"`(?:make quality` \(`)?python (?:-m )?benchmarks[./](\w+)", page.read_text("utf-8"))
    assert named is not None
    assert (ROOT / "benchmarks" / f"{named.group(1).removesuffix('.py')}.py").is_file()


def _documented(path: Path) -> Iterator[str]:
    """Command lines of `kprep` in a page: after a prompt in a block, or between backquotes."""
    text = path.read_text(encoding="utf-8")
    for found in re.findall(r"^\$ (kprep .*)$|`(kprep [^`]*)`", text, re.MULTILINE):
        yield next(part for part in found if part)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_of_the_pages_exist(page: Path) -> None:
    for line in _documented(page):
        words = shlex.split(line.split("  #")[0])
        path: tuple[str, ...] = ("kprep",)
        while len(words) > len(path) and (*path, words[len(path)]) in COMMANDS:
            path = (*path, words[len(path)])
        command = COMMANDS[path]
        rest = words[len(path) :]
        known = {option for parameter in command.params for option in parameter.opts} | {"--help", "-h"}
        assert {word for word in rest if word.startswith("-") and len(word) > 1} <= known, line
        assert not (isinstance(command, click.Group) and rest and not rest[0].startswith("-")), f"no command: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_of_the_pages_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"(?:^\$ |`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


def _reasons(kind: type[PrepError]) -> set[str]:
    return {kind.reason}.union(*(_reasons(inner) for inner in kind.__subclasses__()))


def test_operators_find_every_reason_code() -> None:
    text = OPERATING.read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", text.split("## Reason codes")[1].split("\n## ")[0], re.MULTILINE))
    assert listed == _reasons(PrepError) | OTHER_REASONS


def test_operators_find_every_gate_code() -> None:
    text = OPERATING.read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", text.split("## Gate findings")[1].split("\n## ")[0], re.MULTILINE))
    assert listed == set(quality.CHECKS) | OTHER_CODES


@pytest.mark.parametrize("room", ["cleaning", "redaction"])
def test_authors_find_every_key_of_the_rules(room: str) -> None:
    rules = (ROOT / "docs/guide/rules.md").read_text(encoding="utf-8")
    keys = yaml.safe_load((ROOT / room / "default.yaml").read_text(encoding="utf-8"))
    assert [key for key in keys if not re.search(rf"^\| `{key}(\.[*\w]+)?` \|", rules, re.MULTILINE)] == []


def test_questions_of_the_guide_can_be_loaded() -> None:
    guide = (ROOT / "docs/guide/questions.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    assert len(quality.load_questions(yaml.safe_load(block), "questions.md")) == 2
    classes = re.findall(r"^\| `(\w+)` \|.*\| (?:`expect`|`forbidden`|neither) \|$", guide, re.MULTILINE)
    assert tuple(classes) == QUESTION_CLASSES


def test_front_matter_and_knowledge_entries_of_the_guide_are_read() -> None:
    guide = (ROOT / "docs/guide/sources.md").read_text(encoding="utf-8")
    front = guide.split("\n## Front matter\n")[1].split("\n## ")[0]
    entries = guide.split("\n## Knowledge entries\n")[1].split("\n## ")[0]
    (matter,) = re.findall(r"```yaml\n(.*?)```", front, re.DOTALL)
    text = f"{matter}\n# Seals\n\nThey are changed each year.\n"
    page = RawDocument("docs/a.md", "a.md", text.encode(), "text/markdown")
    said = PARSERS["markdown"].parse(page).metadata.front_matter
    signals, unsound = signals_of(said)
    assert set(signals) == set(SIGNALS)
    assert unsound == ()
    assert {*SIGNALS, "aliases"} <= set(re.findall(r"^\| `(\w+)` \|", front, re.MULTILINE))
    (block,) = re.findall(r"```json\n(.*?)```", entries, re.DOTALL)
    media_type = detect("pumps.json", block.encode())
    assert media_type in PARSERS["knowledge_entry"].media_types
    read = PARSERS["knowledge_entry"].parse(RawDocument("docs/pumps.json", "pumps.json", block.encode(), media_type))
    assert [element.fragment for element in read.elements if element.fragment] == ["def", "int", "ex", "form", "app"]
    assert read.elements[4].locator.anchor == "net-positive-suction-head/form"
    assert set(signals_of(read.metadata.front_matter)[0]) == {"truth_confidence", "difficulty", "avoid_with"}


def test_generated_parts_are_up_to_date() -> None:
    command = [str(Path(sys.executable).parent / "cog"), "--check", "README.md", "docs/reference/cli.md"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs/decisions").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
