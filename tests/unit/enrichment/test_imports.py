"""Imports of source code, as paths of the files that may be meant."""

from __future__ import annotations

import pytest

from enrichment.imports import imports_of

CASES = [
    ("python", "from shop.orders import total\n", "shop.orders total", "shop/orders.py"),
    ("typescript", 'import { total } from "./orders";\n', "./orders", "./orders.ts"),
    ("java", "import com.acme.Orders;\n", "com.acme.Orders", "com/acme/Orders.java"),
    ("c", '#include "orders.h"\n', "orders.h", "orders.h"),
    ("ruby", 'require_relative "orders"\n', "orders", "./orders.rb"),
    ("go", 'import "acme.com/shop/orders"\n', "acme.com/shop/orders", "orders/orders.go"),
    ("go", 'import (\n\t"fmt"\n\to "acme.com/shop/orders"\n)\n', "acme.com/shop/orders", "shop/orders/doc.go"),
    ("rust", "pub mod orders;\n", "mod orders", "./orders.rs"),
    ("rust", "use crate::shop::orders::Total;\n", "crate::shop::orders::Total", "src/shop/orders.rs"),
    ("rust", "    use super::orders::{Total, Line};\n", "super::orders", "../orders.rs"),
    ("csharp", "global using static Acme.Shop.Orders;\n", "Acme.Shop.Orders", "Shop/Orders.cs"),
    ("csharp", "using O = Acme.Orders;\n", "Acme.Orders", "Acme/Orders.cs"),
    ("php", "use Acme\\Shop\\Orders;\n", "Acme\\Shop\\Orders", "src/Shop/Orders.php"),
    ("php", "require_once __DIR__ . '/orders.php';\n", "/orders.php", "./orders.php"),
]


@pytest.mark.parametrize(("language", "code", "written", "target"), CASES, ids=lambda value: str(value)[:25])
def test_an_import_leads_to_the_file_it_means(language: str, code: str, written: str, target: str) -> None:
    assert target in dict(imports_of(code, language))[written]


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("rust", "use std::fmt;\nmod inner { }\n"),
        ("csharp", "using (var file = Open()) { }\nusing var other = Open();\n"),
        ("php", "function f() use ($a) { }\n"),
        ("go", 'x := "acme.com/a"\n'),
    ],
)
def test_what_only_looks_like_an_import_is_none(language: str, code: str) -> None:
    assert list(imports_of(code, language)) == []
