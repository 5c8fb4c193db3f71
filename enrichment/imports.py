"""What source code imports, as paths of the files that may be meant."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

_PYTHON = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<package>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#]+)"
    r"|import[ \t]+(?P<modules>[\w., \t]+))",
    re.MULTILINE,
)
_SCRIPT = re.compile(
    r"""^[ \t]*(?:import|export)\b[^'"\n;]*?(?:from[ \t]*)?["'](?P<path>[^"'\n]+)["']"""
    r"""|\brequire\(["'](?P<required>[^"'\n]+)["']\)""",
    re.MULTILINE,
)
_JAVA = re.compile(r"^[ \t]*import[ \t]+(?:static[ \t]+)?(?P<name>[\w.]+(?:\.\*)?)[ \t]*;?", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(?P<path>[^"\n]+)"', re.MULTILINE)
_RUBY = re.compile(r"""^[ \t]*require_relative[ \t(]+["'](?P<path>[^"'\n]+)["']""", re.MULTILINE)
_SCRIPT_ENDINGS = ("", ".js", ".ts", ".tsx", ".jsx", ".mjs", "/index.js", "/index.ts")
_JVM = {"java": ".java", "kotlin": ".kt", "scala": ".scala"}


def imports_of(code: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(as written, paths it may mean) of each import; a path that begins with "." is relative to the file."""
    if language == "python":
        yield from _python(code)
    elif language in ("javascript", "typescript", "tsx"):
        for match in _SCRIPT.finditer(code):
            path = match["path"] or match["required"]
            if path.startswith("."):
                yield path, tuple(path + ending for ending in _SCRIPT_ENDINGS)
    elif language in _JVM:
        for match in _JAVA.finditer(code):
            name = match["name"].removesuffix(".*")
            yield name, (name.replace(".", "/") + _JVM[language],)
    elif language in ("c", "cpp"):
        for match in _INCLUDE.finditer(code):
            yield match["path"], (match["path"],)
    elif language == "ruby":
        for match in _RUBY.finditer(code):
            yield match["path"], (posixpath.join(".", match["path"]) + ".rb",)


def _python(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for match in _PYTHON.finditer(code):
        if match["modules"]:
            for part in match["modules"].split(","):
                name = part.split(" as ")[0].strip()
                if name:
                    yield name, _module(name)
            continue
        package = match["package"]
        names = [part.split(" as ")[0].strip(" \t\n()") for part in match["names"].split(",")]
        for name in names:
            if re.fullmatch(r"\w+|\*", name):
                inner = () if name == "*" else _module(f"{package}{'' if package.endswith('.') else '.'}{name}")
                yield f"{package} {name}", (*inner, *_module(package))


def _module(name: str) -> tuple[str, ...]:
    """`a.b` -> a/b.py, a/b/__init__.py; each leading dot after the first is one folder up."""
    bare = name.lstrip(".")
    dots = len(name) - len(bare)
    base = ("./" if dots == 1 else "../" * (dots - 1)) if dots else ""
    path = base + bare.replace(".", "/")
    if not bare:
        return (f"{path}__init__.py",)
    return f"{path}.py", f"{path}/__init__.py"
