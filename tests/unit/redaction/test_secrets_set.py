"""The made set of secrets and look-alikes keeps its floors; a released finding refuses no more."""

import pytest

from benchmarks import secrets_files
from benchmarks.secrets_set import LOOK_ALIKES, PER_KIND, SECRETS, measure
from kprep.core.errors import ConfigError, SecretFound
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator
from redaction import RedactionPolicy, Redactor
from redaction.redactor import SECRET_PREFIX
from redaction.secret_words import is_worded_pair, worded

KEY = b"0123456789abcdef"
REDACTOR = Redactor(RedactionPolicy(), KEY, "acme")


def document(*texts: str) -> CleanDocument:
    elements = tuple(Element(ElementKind.CODE, text, Locator(line=(n, n))) for n, text in enumerate(texts, 1))
    return CleanDocument("s/a", "text/plain", "text", elements, (), DocumentMetadata(), ())


@pytest.mark.req("D5.3", "D5.6")
def test_floors_of_the_made_set() -> None:
    found, alarms, wrong = measure(Redactor(RedactionPolicy(), KEY, "acme"))
    assert (len(SECRETS), len(LOOK_ALIKES), PER_KIND) == (40, 40, 10)
    assert sum(hit for hit, _ in found.values()) >= 0.97 * 400, [case.kind for case in wrong]
    assert sum(hit for hit, _ in alarms.values()) <= 0.01 * 400, [case.kind for case in wrong]


@pytest.mark.parametrize(
    "text",
    [
        "passphrase: correct horse battery staple",
        'PASSPHRASE="correct horse battery staple"',
        "password = 'correct-horse-battery-staple'",
        "DB_PASSWORD=swordfishes",
        '{"password": "swordfishes"}',
        "  db_password: swordfishes\n",
        "machine a.io\n login x\n password abcdefgh",
    ],
)
def test_passwords_of_letters(text: str) -> None:
    assert list(worded(text))


@pytest.mark.parametrize(
    "text",
    [
        "Password: required",
        "password: swordfishes are fish that swim",
        '"password": "Enter your password"',
        '"forgotPassword": "reset link sent"',
        "password=undefined",
        "the password is confidential",
        "PASSWORD=changeit",
        "Passwort: erforderlich",
        "Password: Administrators",
    ],
)
def test_words_that_are_none(text: str) -> None:
    assert list(worded(text)) == []
    assert not is_worded_pair("Password", "temporary")


@pytest.mark.req("D5.6")
def test_a_released_finding_refuses_no_more() -> None:
    found = document("password: Winter2023!")
    with pytest.raises(SecretFound) as caught:
        Redactor(RedactionPolicy(), KEY, "acme").redact(found)
    fingerprint = caught.value.context["fingerprint"]
    release = {"fingerprint": fingerprint, "reason": "sample of the manual", "by": "A. Roe"}
    policy = RedactionPolicy.load({"released": [release]})
    released = Redactor(policy, KEY, "acme")
    assert released.redact(found).elements[0].text == "password: Winter2023!"
    assert released.scan("password: Winter2023!") == []
    assert policy.options() != RedactionPolicy().options()
    # Another value, another tenant and another key are still refused.
    with pytest.raises(SecretFound):
        released.redact(document("password: Winter2023!", "token=8f3Kd92LmQ0pZx"))
    for redactor in (Redactor(policy, KEY, "other"), Redactor(policy, KEY[::-1], "acme")):
        with pytest.raises(SecretFound):
            redactor.redact(found)


@pytest.mark.parametrize(
    "entry",
    [
        {"fingerprint": "0" * 32},
        {"fingerprint": "0" * 32, "reason": "", "by": "A"},
        {"fingerprint": "nothex", "reason": "x", "by": "A"},
        {"fingerprint": "0" * 32, "reason": "x", "by": 7},
        "0" * 32,
    ],
)
def test_a_release_names_reason_and_person(entry: object) -> None:
    with pytest.raises(ConfigError) as caught:
        RedactionPolicy.load({"released": [entry]})
    assert caught.value.context["key"] == "released"


@pytest.mark.req("D5.3", "D5.6")
def test_floor_of_the_files_of_the_second_set() -> None:
    found = secrets_files.measure(REDACTOR, each=2)
    assert len(found) >= 40
    missed = {kind: files for kind, (_, _, files) in found.items() if files}
    assert sum(of - hit for hit, of, _ in found.values()) <= 0.03 * sum(of for _, of, _ in found.values()), missed


@pytest.mark.parametrize(
    "text",
    [
        "grafana: glsa_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_00000000",
        "Use a token such as ntn_<your token> or lin_api_...",
        "figd_some-long-name-of-a-component-in-the-design-file",
        "secret_management_of_the_kubernetes_cluster_in_production",
        "the bcrypt hash $2b$12$abcdefghijklmnopqrstuu in the manual",
        "mysql -h db.acme.io -u app -p shop < dump.sql",
        "sshpass -p '<password>' ssh deploy@build.acme.io",
        '"auth": "none"',
        "commit AKIDs and LTAI accounts are described below",
        "client-key-data: DATA+OMITTED",
    ],
)
def test_look_alikes_of_vendors_tokens_pass(text: str) -> None:
    assert [kind for kind, _, _ in REDACTOR.scan(text) if kind.startswith(SECRET_PREFIX)] == []
