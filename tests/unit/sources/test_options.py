"""Keys of each kind of source in kprep.yaml: what is wrong is named with its line and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from kprep import config
from kprep.core.errors import ConfigError
from sources import SOURCES


def load(folder: Path, source: str) -> config.KnowledgeBase:
    text = f"knowledge_base: kb\ntenant: acme\nsources:\n  - name: docs\n{source}"
    (folder / "kprep.yaml").write_text(text)
    return config.load(folder)


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("    kind: s3\n", 4, "bucket: this key is missing"),
        ("    kind: s3\n    bucket: a\n", 6, "bucket: String should match pattern"),
        ("    kind: gopher\n", 4, "unknown kind 'gopher'; known: archive, "),
        ("    path: x\n", 4, "the key `kind` is missing; known: "),
        ("    kind: filesystem\n    path: x\n    bucket: b\n", 7, "bucket: unknown key (a typing mistake?)"),
        ("    kind: git\n    url: https://me:word@h/x.git\n", 6, "put it into the environment"),
        ("    kind: git\n    url: ext::sh -c id\n    ref: -x\n", 7, "ref: String should match pattern"),
        ("    kind: git\n    url: ftp://h/x.git\n", 6, "use https, ssh, git or file"),
        ("    kind: web\n    url: ftp://h/\n", 6, "url: String should match pattern"),
        ("    kind: web\n    url: https://me:word@h/\n", 6, "url: String should match pattern"),
        ("    kind: web\n    url: https://h/\n    max_pages: 0\n", 7, "max_pages: Input should be greater"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, source: str, line: int, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, source)
    first = caught.value.message.splitlines()[0]
    assert first.startswith(f"{tmp_path / 'kprep.yaml'}:{line}: ")
    assert said in first


def test_every_example_of_the_guide_is_valid(tmp_path: Path) -> None:
    import yaml

    text = (Path(__file__).parents[3] / "docs" / "guide" / "sources.md").read_text()
    blocks = [block.split("```", 1)[0] for block in text.split("```yaml\n")[1:] if not block.startswith("---")]
    sources = [source for block in blocks for source in yaml.safe_load(block)]
    for source in sources:
        (tmp_path / "kprep.yaml").write_text(
            yaml.safe_dump({"knowledge_base": "kb", "tenant": "t", "sources": [source]})
        )
        assert config.load(tmp_path).config.sources[0].kind == source["kind"]
    shown = {source["kind"] for source in sources}
    conversations = {kind for kind, spec in SOURCES.items() if spec.store == "candidate"}
    assert shown | conversations == set(SOURCES)
