"""Values in full-width letters, and passwords said in a sentence or in SQL."""

from __future__ import annotations

import pytest

from redaction import RedactionPolicy, Redactor

REDACTOR = Redactor(RedactionPolicy(), b"k" * 32, "tenant")


@pytest.mark.req("D5.5")
@pytest.mark.parametrize(
    "text", ["ｊａｎｅ.ｒｏｅ＠kelv-corp.pl", "ｊａｎｅ．ｒｏｅ＠ｋｅｌｖ．ｐｌ", "jane.roe＠kelv-corp.pl"]
)
def test_full_width_letters_are_the_letters_they_show(text: str) -> None:
    assert REDACTOR.scan(text) == [("EMAIL", 0, len(text))]


@pytest.mark.req("D5.3", "D5.6")
@pytest.mark.parametrize(
    "text",
    [
        "Das Kennwort lautet: Sommer2024!Xy",
        "Das Passwort lautet Sommer2024!Xy",
        "CREATE USER bob IDENTIFIED BY 'hunter2Longer!9';",
        "ALTER USER bob IDENTIFIED WITH mysql_native BY 'hunter2Longer!9'",
    ],
)
def test_passwords_in_sentences_and_sql_are_secrets(text: str) -> None:
    assert [kind for kind, _, _ in REDACTOR.scan(text)] == ["SECRET_PASSWORD"]


def test_a_default_password_in_sql_is_none() -> None:
    assert REDACTOR.scan("CREATE USER bob IDENTIFIED BY 'password'") == []
