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
_GO = re.compile(r'^[ \t]*import[ \t]+(?:\((?P<block>[^)]*)\)|(?:[\w.]+[ \t]+)?"(?P<path>[^"\n]+)")', re.MULTILINE)
_GO_PATH = re.compile(r'^[ \t]*(?:[\w.]+[ \t]+)?"([^"\n]+)"', re.MULTILINE)
_RUST_MOD = re.compile(r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?mod[ \t]+(?P<name>\w+)[ \t]*;", re.MULTILINE)
_RUST_USE = re.compile(
    r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?use[ \t]+(?P<root>crate|self|super)::(?P<path>\w+(?:::\w+)*)", re.MULTILINE
)
_CSHARP = re.compile(
    r"^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+|\w+[ \t]*=[ \t]*)?(?P<name>[A-Za-z_][\w.]*)[ \t]*;",
    re.MULTILINE,
)
_PHP_USE = re.compile(r"^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?(?P<name>\w+(?:\\\w+)+)", re.MULTILINE)
_PHP_FILE = re.compile(
    r"""\b(?:require|include)(?:_once)?\b[ \t(]*(?P<here>__DIR__[ \t]*\.[ \t]*)?["'](?P<path>[^"'$\n]+)["']"""
)
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
    elif language in _MORE:
        yield from _MORE[language](code)


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


def _go(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A package is a folder: of its files, those that stand for it by Go's habit (named like it, doc.go). The path
    begins with the module's address, which may or may not be folders here."""
    for match in _GO.finditer(code):
        for path in _GO_PATH.findall(match["block"]) if match["block"] is not None else [match["path"]]:
            parts = path.split("/")
            tails = ["/".join(parts[at:]) for at in range(len(parts))] if "." in parts[0] else [path]
            yield path, tuple(f"{tail}/{name}.go" for tail in tails for name in (parts[-1], "doc"))


def _rust(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`mod a;` is a file beside this one; a `use` of this crate is a file below its root, its last names an item."""
    for match in _RUST_MOD.finditer(code):
        yield f"mod {match['name']}", (f"./{match['name']}.rs", f"./{match['name']}/mod.rs")
    for match in _RUST_USE.finditer(code):
        base = {"crate": "src/", "self": "./", "super": "../"}[match["root"]]
        parts = match["path"].split("::")
        paths = ["/".join(parts[:length]) for length in range(len(parts), 0, -1)]
        targets = tuple(f"{base}{path}{ending}" for path in paths for ending in (".rs", "/mod.rs"))
        yield f"{match['root']}::{match['path']}", targets


def _csharp(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A namespace or type as the path it has where folders follow namespaces, with and without the root namespace."""
    for match in _CSHARP.finditer(code):
        parts = match["name"].split(".")
        yield match["name"], tuple("/".join(parts[at:]) + ".cs" for at in range(min(len(parts), 2)))


def _php(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A class as PSR-4 places it, with and without the first name, which stands for a folder such as src; and files."""
    for match in _PHP_USE.finditer(code):
        parts = match["name"].split("\\")
        inner = "/".join(parts[1:])
        yield match["name"], ("/".join(parts) + ".php", f"src/{inner}.php", f"{inner}.php")
    for match in _PHP_FILE.finditer(code):
        yield match["path"], ("./" + match["path"].lstrip("/") if match["here"] else match["path"],)


_MORE = {"go": _go, "rust": _rust, "csharp": _csharp, "php": _php}
