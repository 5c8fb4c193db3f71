"""What a symbol is in each programming language, by the node names of its tree-sitter grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Language:
    """`grammar`: name in the language pack, also `Element.language`. `containers` hold members (class, namespace),
    `symbols` do not; `wrappers` are looked through: what they hold stands where they stand. `package`: node that names
    the package of the file.
    """

    grammar: str
    media_types: tuple[str, ...]
    containers: frozenset[str]
    symbols: frozenset[str]
    wrappers: frozenset[str] = frozenset()
    package: str = ""


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_SCRIPT = _set("function_declaration generator_function_declaration method_definition abstract_method_signature")
_C_WRAPPERS = "preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification declaration_list"
_TYPED = _SCRIPT | _set("type_alias_declaration enum_declaration function_signature method_signature")
_TYPED_CONTAINERS = _set(
    "class_declaration abstract_class_declaration interface_declaration internal_module module class"
)
_SCRIPT_WRAPPERS = _set("export_statement ambient_declaration expression_statement")

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        ("text/x-python",),
        _set("class_definition"),
        _set("function_definition type_alias_statement"),
        _set("decorated_definition"),
    ),
    Language("typescript", ("text/x-typescript",), _TYPED_CONTAINERS, _TYPED, _SCRIPT_WRAPPERS),
    Language("tsx", ("text/x-tsx",), _TYPED_CONTAINERS, _TYPED, _SCRIPT_WRAPPERS),
    Language("javascript", ("text/javascript",), _set("class_declaration"), _SCRIPT, _SCRIPT_WRAPPERS),
    Language(
        "java",
        ("text/x-java",),
        _set("class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"),
        _set("method_declaration constructor_declaration compact_constructor_declaration"),
        _set("enum_body_declarations"),
        "package_declaration",
    ),
    Language(
        "go",
        ("text/x-go",),
        frozenset(),
        _set("function_declaration method_declaration type_declaration"),
        package="package_clause",
    ),
    Language(
        "rust",
        ("text/x-rust",),
        _set("impl_item trait_item mod_item"),
        _set("function_item struct_item enum_item union_item type_item macro_definition function_signature_item"),
    ),
    Language(
        "c",
        ("text/x-c",),
        frozenset(),
        _set(
            "function_definition struct_specifier enum_specifier union_specifier type_definition preproc_function_def"
        ),
        _set(_C_WRAPPERS),
    ),
    Language(
        "cpp",
        ("text/x-c++",),
        _set("class_specifier struct_specifier namespace_definition"),
        _set("function_definition enum_specifier union_specifier alias_declaration type_definition concept_definition"),
        _set(_C_WRAPPERS + " template_declaration"),
    ),
    Language(
        "csharp",
        ("text/x-csharp",),
        _set(
            "namespace_declaration class_declaration interface_declaration struct_declaration record_declaration "
            "record_struct_declaration"
        ),
        _set(
            "method_declaration constructor_declaration destructor_declaration property_declaration enum_declaration "
            "delegate_declaration operator_declaration indexer_declaration local_function_statement"
        ),
        _set("preproc_if global_statement"),
        "file_scoped_namespace_declaration",
    ),
    Language("ruby", ("text/x-ruby",), _set("class module"), _set("method singleton_method")),
    Language(
        "php",
        ("text/x-php",),
        _set("class_declaration interface_declaration trait_declaration"),
        _set("function_definition method_declaration enum_declaration"),
        package="namespace_definition",
    ),
    Language("bash", ("text/x-shellscript",), frozenset(), _set("function_definition")),
    Language("sql", ("text/x-sql",), frozenset(), _set("statement")),
)
BY_MEDIA_TYPE: Mapping[str, Language] = {name: language for language in LANGUAGES for name in language.media_types}

COMMENTS = _set("comment line_comment block_comment attribute_item inner_attribute_item marginalia hash_bang_line")
_NAMES = _set(
    "identifier type_identifier field_identifier property_identifier constant name namespace_identifier "
    "qualified_identifier destructor_name operator_name private_property_identifier package_identifier "
    "scoped_identifier qualified_name namespace_name word object_reference nested_namespace_specifier"
)
_FUNCTION_VALUES = _set("arrow_function function function_expression generator_function class")
_DEEPEST_NAME = 12
_MACRO = re.compile(r"[A-Z][A-Z\d_]{3,}")
"""What defines a test is called so: `TEST_F(Suite, name) { ... }`."""
_EXPORTS = re.compile(r"(?:module\.)?exports(?:\.|\Z)")


def package_name(node: Node) -> str:
    """Name of the package, module or namespace a node declares for the whole file, "" for none."""
    named = next((child for child in node.named_children if child.type in _NAMES), None)
    return _text(named) if named is not None else ""


def symbol_name(node: Node) -> str:
    """Name of the symbol a node defines; of a Go method with its receiver's type; "" for a node that names nothing."""
    if node.type == "impl_item":
        return _text(node.child_by_field_name("type"))
    if node.type == "statement":
        return _first_reference(node)
    if node.type == "type_declaration":
        specs = [child for child in node.named_children if child.type in {"type_spec", "type_alias"}]
        return _text(specs[0].child_by_field_name("name")) if specs else ""
    name = node.child_by_field_name("name")
    declarator = node.child_by_field_name("declarator")
    if name is None:
        name = _declared(declarator)
    written = _text(name)
    if declarator is not None and node.child_by_field_name("type") is None and _MACRO.fullmatch(written):
        parameters = declarator.child_by_field_name("parameters")
        written = _text(declarator) if parameters is not None and parameters.named_children else written
    receiver = node.child_by_field_name("receiver")
    owner = _receiver_type(receiver) if receiver is not None and written else ""
    return f"{owner}.{written}" if owner else written


def assigned_function(node: Node) -> str:
    """Name of what a JavaScript declaration, assignment or field of a class gives a function or class to, else ""."""
    if node.type in {"lexical_declaration", "variable_declaration"}:
        named = [
            (child.child_by_field_name("name"), child.child_by_field_name("value")) for child in node.named_children
        ]
    elif node.type in {"field_definition", "public_field_definition"}:
        name = node.child_by_field_name("property") or node.child_by_field_name("name")
        named = [(name, node.child_by_field_name("value"))]
    elif node.type == "assignment_expression":
        named = [(node.child_by_field_name("left"), node.child_by_field_name("right"))]
    else:
        return ""
    name, value = next(((n, v) for n, v in named if v is not None and v.type in _FUNCTION_VALUES), (None, None))
    written = _EXPORTS.sub("", _text(name)).replace(".prototype.", ".")
    return written or (_text(value.child_by_field_name("name")) if value is not None else "")


def is_prototype(node: Node, language: Language) -> bool:
    """Whether a node declares a function of C or C++ without defining it."""
    if node.type != "declaration" or language.grammar not in {"c", "cpp"}:
        return False
    if node.parent is not None and node.parent.type == "field_declaration_list":
        return False
    declarator = node.child_by_field_name("declarator")
    for _ in range(_DEEPEST_NAME):
        if declarator is None or declarator.type == "function_declarator":
            inner = declarator.child_by_field_name("declarator") if declarator is not None else None
            return inner is not None and inner.type in _NAMES
        declarator = declarator.child_by_field_name("declarator")
    return False


def _declared(node: Node | None) -> Node | None:
    """The name inside C's declarators: `*f(int a)` declares f."""
    for _ in range(_DEEPEST_NAME):
        if node is None or node.type in _NAMES:
            return node
        inner = node.child_by_field_name("declarator")
        node = (
            inner
            or next((child for child in node.named_children if child.type.endswith("declarator")), None)
            or (next((child for child in node.named_children if child.type in _NAMES), None))
        )
    return None


def _receiver_type(node: Node) -> str:
    """The first type name among a Go method's receiver, pointers and type parameters left out."""
    waiting = [node]
    while waiting:
        found = waiting.pop(0)
        if found.type == "type_identifier":
            return _text(found)
        waiting += found.named_children
    return ""


def _first_reference(node: Node) -> str:
    """What an SQL statement creates or works on; a name it gives a query itself (`WITH o AS ...`) is none."""
    own = {
        _text(child.named_children[0]) for child in node.named_children if child.type == "cte" and child.named_children
    }
    waiting = [child for child in node.named_children if child.type != "cte"]
    for _ in range(60):
        if not waiting:
            break
        found = waiting.pop(0)
        if found.type == "object_reference" and _text(found) not in own:
            return _text(found)
        waiting += found.named_children
    return ""


def _text(node: Node | None) -> str:
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())[:200]
