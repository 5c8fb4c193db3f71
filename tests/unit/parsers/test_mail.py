"""Mail: each sentence once whatever the mail program, parts in their own character sets, threads in order."""

from __future__ import annotations

from collections import Counter
from email.message import EmailMessage

import pytest

import parsers
from cleaning import CleaningRules, clean
from kprep.core.errors import CorruptDocument, EncryptedDocument, Recursive
from kprep.core.models import CleanDocument, ElementKind, ParsedDocument, RawDocument
from parsers.mail_quotes import label_lines
from parsers.media_type import detect
from tests.fakes.mail_threads import CLIENTS, DISCLAIMER, mailbox, sentences, thread
from tests.fakes.outlook import outlook_message


def parsed(content: bytes, name: str) -> ParsedDocument:
    media_type = detect(name, content)
    return parsers.parse(RawDocument(f"mail/{name}", name, content, media_type), parsers.parser_for(media_type))


def cleaned(content: bytes, name: str) -> CleanDocument:
    return clean(parsed(content, name), CleaningRules())


def said(*documents: CleanDocument) -> str:
    texts = (element.text for document in documents for element in document.elements)
    return " ".join(" ".join(texts).split())


def wanted(client: str) -> list[str]:
    return [sentence for number in range(4) for sentence in sentences(client, number)]


@pytest.mark.req("D2.29", "D2.32", "D4.1")
@pytest.mark.parametrize("client", CLIENTS)
def test_each_sentence_of_a_thread_is_published_once(client: str) -> None:
    documents = [cleaned(message.as_bytes(), f"{n}.eml") for n, message in enumerate(thread(client))]
    found = said(*documents)
    assert {sentence: found.count(sentence) for sentence in wanted(client)} == dict.fromkeys(wanted(client), 1)
    for noise in ("Best regards", "intended solely", "Hi Ana", "wrote:", "From:", "Gesendet"):
        assert noise not in found
    rules = Counter(removal.rule for removal in documents[-1].removals)
    assert set(rules) == {"kind:signature", "kind:disclaimer", "kind:greeting", "kind:quoted_reply"}


@pytest.mark.req("D2.29", "D2.32")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_mailbox_holds_each_sentence_once_in_the_order_it_was_written(client: str) -> None:
    messages = thread(client)
    document = cleaned(mailbox([messages[2], messages[0], messages[3], messages[1]]), "box.mbox")
    found = said(document)
    places = [found.index(sentence) for sentence in wanted(client)]
    assert places == sorted(places)
    assert all(found.count(sentence) == 1 for sentence in wanted(client))
    headings = [element for element in document.elements if element.kind is ElementKind.HEADING]
    assert [element.level for element in headings] == [1, 2, 2, 2, 2]


def test_all_threads_of_one_mailbox_stay_apart() -> None:
    messages = [message for number in range(4) for client in CLIENTS for message in [thread(client)[number]]]
    document = cleaned(mailbox(messages), "all.mbox")
    found = said(document)
    assert all(found.count(sentence) == 1 for client in CLIENTS for sentence in wanted(client))
    titles = [e.text for e in document.elements if e.kind is ElementKind.HEADING and e.level == 1]
    assert titles == [f"Rollout {client}" for client in CLIENTS]


@pytest.mark.parametrize("client", CLIENTS)
def test_citations_open_the_words(client: str) -> None:
    content = mailbox(thread(client))
    document = parsed(content, "box.mbox")
    spec = parsers.parser_for("application/mbox")
    for element in document.elements:
        words = element.text.split()
        assert set(words) - {"·"} <= set(spec.quote(content, element.locator).split()) | set(words[:1]) or (
            element.kind is ElementKind.HEADING
        )


def test_answers_between_quoted_lines_stay() -> None:
    text = "> Which plan?\n\nThe annual plan.\n\n> Who signs?\n> We need a name.\n\nThe finance lead signs.\n\n-- \nAna"
    kinds = dict(zip(text.split("\n"), label_lines(text, "Re: plan"), strict=False))
    assert kinds["The annual plan."] is ElementKind.PARAGRAPH
    assert kinds["The finance lead signs."] is ElementKind.PARAGRAPH
    assert kinds["> We need a name."] is ElementKind.QUOTED_REPLY
    assert kinds["Ana"] is ElementKind.SIGNATURE


def test_what_is_forwarded_stays() -> None:
    text = (
        "See below.\n\n---------- Forwarded message ---------\nFrom: Ben <ben@example.com>\nDate: Mon, 5 Jan 2026\n"
        "Subject: Limits\nTo: Ana <ana@example.org>\n\nThe limit is 500 units a day.\n"
    )
    message = EmailMessage()
    message["From"], message["Subject"] = "Ana <ana@example.org>", "Fwd: Limits"
    message.set_content(text)
    found = said(cleaned(message.as_bytes(), "f.eml"))
    assert "The limit is 500 units a day." in found
    assert "See below." in found
    assert "Date: Mon" not in found


def test_prose_that_looks_like_noise_stays() -> None:
    text = (
        "Thanks to the new process we ship on Friday.\n\nFrom: the harbour the goods travel by rail.\n\n"
        "On 5 May the team wrote a report that names 12 risks.\n\nThe mailing list of partners grows."
    )
    assert set(label_lines(text, "News")) == {ElementKind.PARAGRAPH}


@pytest.mark.req("D3.9")
def test_each_part_is_read_in_its_own_character_set() -> None:
    content = (
        b"From: =?iso-8859-1?Q?J=F6rg?= <j@example.org>\r\nSubject: =?utf-8?B?5pel5pys6Kqe44Gu5Lu25ZCN?=\r\n"
        b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
        b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"Gr=FC=DFe aus M=FCnchen, die Frist l=E4u=\r\nft am 3. M=E4rz ab.\r\n--x\r\n"
        b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        b"5pel5pys44Gu5pyf6ZmQ44GvM+aciOOBp+OBmeOAgg==\r\n--x--\r\n"
    )
    document = parsed(content, "two.eml")
    found = " ".join(element.text for element in document.elements)
    assert "Grüße aus München, die Frist läuft am 3. März ab." in found
    assert "日本の期限は3月です。" in found
    assert document.metadata.title == "日本語の件名"
    assert "Jörg" in found


def test_a_mail_saved_as_utf16_reads_the_same() -> None:
    text = (
        "From: Ana <ana@example.org>\nSubject: Umlaute\nContent-Type: text/plain; charset=utf-8\n\nDie Prüfung läuft.\n"
    )
    document = parsed(text.encode("utf-16"), "wide.eml")
    assert "Die Prüfung läuft." in [element.text for element in document.elements]


def test_attachments_and_doubles_are_recorded() -> None:
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = "Ana <a@example.org>", "Plan", "<1@example.org>"
    message.set_content("The plan is attached.")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="plan.pdf")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png", cid="<logo>")
    message.add_attachment(b"MIIB", maintype="application", subtype="pkcs7-signature", filename="smime.p7s")
    files = [("ok", "plan.pdf"), ("not_extracted", "logo.png"), ("not_extracted", "smime.p7s")]
    box = mailbox([message, message])
    document = parsed(box, "box.mbox")
    attached = parsers.parser_for("application/mbox").attached
    assert attached is not None
    assert attached(box) == [("plan.pdf", b"%PDF-1.4")]
    assert [(unit.kind, unit.state, unit.name) for unit in document.units] == [
        ("message", "ok", ""),
        ("message", "duplicate", ""),
        *[("attachment", state, name) for _ in range(2) for state, name in files],
    ]
    assert [element.text for element in document.elements].count("The plan is attached.") == 1


@pytest.mark.req("D2.29")
def test_files_attached_to_an_outlook_message_are_documents() -> None:
    content = outlook_message(
        "Plan", "Ana", "The plan is attached.", files={"plan.pdf": b"%PDF-1.4", "räume.txt": b"Room 7."}
    )
    attached = parsers.parser_for("application/vnd.ms-outlook").attached
    assert attached is not None
    assert attached(content) == [("plan.pdf", b"%PDF-1.4"), ("räume.txt", b"Room 7.")]
    document = parsed(content, "plan.msg")
    assert [(unit.kind, unit.state, unit.name) for unit in document.units] == [
        ("message", "ok", ""),
        ("attachment", "ok", "plan.pdf"),
        ("attachment", "ok", "räume.txt"),
    ]


def test_damaged_and_encrypted_mail_is_refused() -> None:
    with pytest.raises(CorruptDocument, match="no mail"):
        parsed(b"just some words without a header", "x.eml")
    with pytest.raises(CorruptDocument, match="no mailbox"):
        parsed(b"From nobody\n\nno header follows here", "x.mbox")
    secret = b"From: a@example.org\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\nMIIB"
    with pytest.raises(EncryptedDocument):
        parsed(secret, "s.eml")
    with pytest.raises(CorruptDocument, match="Outlook"):
        parsed(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "broken.msg")


def test_an_outlook_message_is_read() -> None:
    text = f"Hi Ben,\r\n\r\nThe quota is 40 seats per region.\r\n\r\nKind regards,\r\nAna\r\n\r\n{DISCLAIMER}"
    content = outlook_message("Quota — 2026", "Ana Souza", text)
    document = cleaned(content, "quota.msg")
    assert document.metadata.title == "Quota — 2026"
    assert said(document) == "Quota — 2026 Ana Souza The quota is 40 seats per region."
    spec = parsers.parser_for("application/vnd.ms-outlook")
    element = document.elements[-1]
    assert spec.quote(content, element.locator) == element.text


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b'Content-Type: text/plain; charset="\0utf"', "The lift opens at eight."),
        (b"Content-Type: text/plain; charset=klingon", "The lift opens at eight."),
        (b"Content-Type: multipart/mixed", "The lift opens at eight."),
        (b"Content-Type: ;;;===\nContent-Disposition: =;x", "The lift opens at eight."),
        (b"Date: Mon, 99 Foo 99999999999 99:99:99 +99999999", "The lift opens at eight."),
        (b"To: " + b",\n ".join(b"P <p%d@example.org>" % number for number in range(10_000)), "The lift opens"),
    ],
    ids=["null", "charset", "boundary", "type", "date", "recipients"],
)
def test_damaged_headers_lose_no_words(head: bytes, said: str) -> None:
    document = parsed(b"From: Ana <a@example.org>\n" + head + b"\n\nThe lift opens at eight.\n", "a.eml")
    assert said in document.elements[-1].text


def test_parts_nested_without_end_are_recursive() -> None:
    inner = b"Content-Type: text/plain\n\nHidden.\n"
    for level in range(1000):
        inner = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level) + inner
    with pytest.raises(Recursive, match="nested too deep"):
        parsed(b"From: Ana <a@example.org>\n" + inner, "a.eml")


def test_a_message_of_a_mailbox_that_cannot_be_read_leaves_the_others() -> None:
    inner = b"Content-Type: text/plain\n\nHidden.\n"
    for level in range(1000):
        inner = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level) + inner
    deep = b"From x\nFrom: Ana <a@example.org>\n" + inner + b"\n"
    plain = b"From x\nFrom: Ben <b@example.org>\nSubject: Lift\n\nThe lift opens at eight.\n\n"
    found = parsed(deep + plain + deep, "a.mbox")
    assert [e.text for e in found.elements][-1] == "The lift opens at eight."
    problems = [(unit.number, unit.name) for unit in found.units if unit.state == "broken"]
    said = "its parts are nested too deep to be read"
    assert problems == [(1, f"message 1: {said}"), (3, f"message 3: {said}")]
    with pytest.raises(Recursive, match=f"mail/a.mbox: message 1: {said}"):
        parsed(deep + deep, "a.mbox")
