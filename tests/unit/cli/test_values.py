"""Values of kprep.yaml that would have no effect, or another one than meant, are refused with line and key."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, get_args

import click
import pytest
import yaml
from click.testing import CliRunner
from pydantic import BaseModel

from enrichment.fragments import fragment_of
from kprep import config
from kprep.cli.app import cli
from kprep.core.errors import ConfigError
from kprep.core.signals import FRAGMENTS, SAID
from retrieval.scoring import level
from sources import SOURCES
from tests.fakes.yaml_bombs import BOMBS

SOURCE = {"name": "docs", "kind": "filesystem", "path": "docs"}
BASE = {"knowledge_base": "kb", "tenant": "acme", "sources": [SOURCE]}


def load(folder: Path, keys: dict[str, Any]) -> config.KnowledgeBase:
    (folder / "kprep.yaml").write_text(yaml.safe_dump({**BASE, **keys}, sort_keys=False), encoding="utf-8")
    return config.load(folder)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {"retrieval": {"lexical": {"weights": {"title": -2}}}},
            "weights.title: Input should be greater than or equal",
        ),
        ({"retrieval": {"lexical": {"weights": {"titel": 2}}}}, "weights.titel: Input should be 'name', 'aliases'"),
        (
            {"views": {"a": {"boost": {"fragment": {"cod": 2}}}}},
            "views.a.boost: unknown fragment type 'cod'; known: def",
        ),
        (
            {"views": {"a": {"boost": {"fragment": {"code": -1}}}}},
            "boost.fragment.code: Input should be greater than 0",
        ),
        ({"views": {"a": {"boost": {"fragment": {"code": 0}}}}}, "boost.fragment.code: Input should be greater than 0"),
        ({"views": {"a": {"boost": {"fragment": {"code": float("inf")}}}}}, "code: Input should be a finite number"),
        ({"views": {"a": {"boost": {"kind": {"code": 2}}}}}, "views.a.boost.kind: Input should be 'fragment'"),
        ({"quality": {"thresholds": {"worse_by": True}}}, ":9: quality.thresholds.worse_by: true and false are no"),
        ({"retrieval": {"lexical": {"weights": {"title": True}}}}, "lexical.weights: true and false are no numbers"),
        ({"quality": {"thresholds": {"recall_at_5": float("nan")}}}, "recall_at_5: Input should be a finite number"),
        (
            {"quality": {"thresholds": {"chunk_count_z": float("inf")}}},
            "chunk_count_z: Input should be a finite number",
        ),
        ({"retention": {"days": {"manual": True}}}, "retention.days: true and false are no numbers"),
        ({"views": {"a": {"boost": {"fragment": {"code": True}}}}}, "views.a.boost: true and false are no numbers"),
    ],
)
def test_a_value_that_would_say_nothing_is_refused(keys: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, keys)
    assert said in caught.value.message


def holds_a_number(annotation: Any) -> bool:
    """True for a key whose values are numbers, alone or in a list or mapping, and no truth values."""
    parts = get_args(annotation)
    types = {part for inner in parts for part in (get_args(inner) or (inner,))} if parts else {annotation}
    return bool(types & {int, float}) and bool not in types


def test_no_key_that_holds_a_number_takes_a_truth_value() -> None:
    made = [kind for kind in vars(config).values() if isinstance(kind, type) and issubclass(kind, BaseModel)]
    keys = [
        (model, key) for model in made for key, field in model.model_fields.items() if holds_a_number(field.annotation)
    ]
    assert len(keys) > 50
    for model, key in keys:
        with pytest.raises(ValueError, match="true and false are no numbers"):
            model.model_validate({key: True})
    for kind, spec in SOURCES.items():
        for key in (name for name, field in spec.options.model_fields.items() if holds_a_number(field.annotation)):
            source = {"name": "a", "kind": kind, key: True}
            with pytest.raises(ValueError, match="true and false are no numbers"):
                config.KnowledgeBaseConfig.model_validate({**BASE, "sources": [source]})


def test_every_kind_of_fragment_can_be_boosted(tmp_path: Path) -> None:
    factors = dict.fromkeys((*FRAGMENTS, *SAID), 1.5)
    assert (
        load(tmp_path, {"views": {"a": {"boost": {"fragment": factors}}}}).config.views["a"].boost["fragment"]
        == factors
    )
    marked = {
        line.split('fragment="')[1].split('"')[0]
        for path in Path(fragment_of.__code__.co_filename).parents[1].glob("parsers/*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if 'fragment="' in line
    }
    assert "schema" in marked <= set(factors)


@pytest.mark.parametrize(
    ("given", "depth"),
    [("basic", 0.2), ("Advanced", 0.8), ("0", 0.0), ("0.7", 0.7), (".5", 0.5), ("1", 1.0), ("1.0", 1.0),
     ("wizard", None), ("2", None), ("-1", None), ("nan", None), ("1.5", None), ("0,5", None)],
)  # fmt: skip
def test_a_depth_is_a_word_or_a_share(given: str, depth: float | None) -> None:
    assert level(given) == depth
    search = cli.get_command(click.Context(cli), "search")
    assert search is not None
    if depth is None:
        with pytest.raises(click.BadParameter, match="is no depth; known: basic, intermediate, advanced, or a number"):
            search.make_context("search", ["question", "--difficulty", given])
    else:
        assert search.make_context("search", ["question", "--difficulty", given]).params["difficulty"] == given


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("read", [config.read_yaml, config.read_mapping, config.load])
def test_a_file_whose_aliases_stand_for_too_much_is_refused(read: Any, bomb: str, tmp_path: Path) -> None:
    path = tmp_path / "kprep.yaml"
    path.write_text("\n".join(BOMBS[bomb]), encoding="utf-8")
    started = time.process_time()
    with pytest.raises(
        ConfigError, match=r"kprep.yaml:\d+: (its aliases stand for too much|an alias that holds itself)"
    ):
        read(tmp_path if read is config.load else path)
    assert time.process_time() - started < 5


def test_a_key_of_a_configuration_that_stands_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("a:\n  b: 1\n  c: &d {e: 1}\n  b: 2\nf: {<<: *d, e: 3}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"rules.yaml:4: b: this key stands in line 2 already"):
        config.read_yaml(path)


def test_a_time_of_update_that_is_none_is_an_error_of_use(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli, ["search", "x", "--kb", str(tmp_path), "--updated-since", "2027-01-01", "--updated-before", "2020-01-01"]
    )
    assert result.exit_code == 2
    assert "--updated-since is not before --updated-before" in result.output
    with pytest.raises(ConfigError, match="updated_since is not before updated_before"):
        load(tmp_path, {"views": {"a": {"updated_since": "2027-01-01", "updated_before": "2020-01-01"}}})
