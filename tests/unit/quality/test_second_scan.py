"""The second scan finds by other means than redaction, and leaves alone what manuals write."""

from __future__ import annotations

import pytest

from quality import SecondScanner

SCANNER = SecondScanner(lambda kind, value: kind == "EMAIL" and value.endswith("@example.com"))
FOUND = {
    "EMAIL": "Write to jane.roe@kelvarra-mail.net for that.",
    "CREDIT_CARD": "It was paid with card 5425 2334 3010 9903 in March.",
    "CREDIT_CARD ": "Pay by card,5425233430109903 or in cash.",
    "IBAN_CODE": "Our account is DE89 3704 0044 0532 0130 00 in Cologne.",
    "AWSKeyDetector": "export AWS_ACCESS_KEY_ID=AKIA4TQ7ZLW2M9KRNB3V",
    "GitHubTokenDetector": "token ghp_Zk3mQ8vT1xR6yLb9Wc2Ns5Fh7Jd4PaEuGt0o",
    "PrivateKeyDetector": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq0dRk3v9",
    "BasicAuthDetector": "git clone https://deploy:hG7_kfLq92xZ@git.kelvarra.net/x.git",
    "StripeDetector": "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
}


@pytest.mark.req("D5.1", "D5.6")
@pytest.mark.parametrize("kind", list(FOUND))
def test_finds(kind: str) -> None:
    assert kind.strip() in SCANNER.scan(f"Some words before.\n{FOUND[kind]}\nSome words after.")


@pytest.mark.parametrize(
    "text",
    [
        "Write to support@example.com, or to <EMAIL_2a2f70>.",
        "postgres://user:password1@localhost/db and https://name:<password>@host.net",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "The number 5425 2334 3010 9904 fails its checksum, and DE89 3704 0044 0532 0130 01 does, too.",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b, uuid 6fa459ea-ee8a-3ca4-894e-db77e160355e",
        "The file begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
        "It is 0.4494910647887381, or .5425233430109903, in a comma's land 1,5425233430109903.",
        "EMBO J 2002 21 4162 4171 12145216, Genes Dev 1989 3 1053 1061 2777075, and APCadenomatous polyposis coli",
        "password = secret; api_key: changeme; x@y; @decorator; a@b.c:d@e",
        "",
    ],
)
def test_leaves_alone(text: str) -> None:
    assert SCANNER.scan(text) == []
