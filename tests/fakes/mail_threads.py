"""Made mail threads, each message quoting the one before it as one of twelve mail programs does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime

PEOPLE = (("Ana Souza", "ana.souza@example.org"), ("Ben Okafor", "ben.okafor@example.com"))
START = datetime(2026, 1, 5, 10, 1, 2, tzinfo=UTC)
DISCLAIMER = (
    "This e-mail and any attachments are confidential and intended solely for the addressee.\n"
    "If you are not the intended recipient, please delete it."
)


@dataclass(frozen=True)
class Before:
    """The message that is quoted: as text lines, HTML and headers."""

    text: str
    html: str
    sender: tuple[str, str]
    to: tuple[str, str]
    sent_at: datetime
    subject: str


def marked(text: str, mark: str = "> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def block(before: Before, labels: tuple[str, str, str, str], date: str) -> str:
    sender, sent, to, subject = labels
    name, address = before.sender
    return (
        f"{sender}: {name} <{address}>\n{sent}: {date}\n{to}: {before.to[0]} <{before.to[1]}>\n"
        f"{subject}: {before.subject}\n\n{before.text}"
    )


def _gmail(b: Before) -> str:
    return f"On Mon, Jan 5, 2026 at 10:01 AM {b.sender[0]} <{b.sender[1]}>\nwrote:\n\n{marked(b.text)}"


def _apple(b: Before) -> str:
    return marked(f"On 5 Jan 2026, at 10:01, {b.sender[0]} <{b.sender[1]}> wrote:\n\n{b.text}")


def _thunderbird(b: Before) -> str:
    return f"On 05/01/2026 10:01, {b.sender[0]} wrote:\n{marked(b.text)}"


def _thunderbird_de(b: Before) -> str:
    return f"Am 05.01.26 um 10:01 schrieb {b.sender[0]}:\n{marked(b.text)}"


def _outlook(b: Before) -> str:
    return block(b, ("From", "Sent", "To", "Subject"), "Monday, January 5, 2026 10:01 AM")


def _outlook_de(b: Before) -> str:
    return block(b, ("Von", "Gesendet", "An", "Betreff"), "Montag, 5. Januar 2026 10:01")


def _outlook_classic(b: Before) -> str:
    return "-----Original Message-----\n" + block(b, ("From", "Sent", "To", "Subject"), "05 January 2026 10:01")


def _outlook_web(b: Before) -> str:
    return "_" * 32 + "\n" + block(b, ("From", "Sent", "To", "Subject"), "Monday, January 5, 2026 10:01 AM")


def _yahoo(b: Before) -> str:
    indented = "\n".join(f" {line}" for line in b.text.split("\n"))
    return f"    On Monday, January 5, 2026 at 10:01:02 AM GMT+1, {b.sender[0]} <{b.sender[1]}> wrote:  \n \n{indented}"


def _notes(b: Before) -> str:
    return f"{b.sender[0]}/ACME wrote on 01/05/2026 10:01:02 AM:\n\n{marked(b.text)}"


def _french(b: Before) -> str:
    return f"Le lun. 5 janv. 2026 à 10:01, {b.sender[0]} <{b.sender[1]}> a écrit :\n\n{marked(b.text)}"


def _proton(b: Before) -> str:
    return (
        f"------- Original Message -------\nOn Monday, January 5th, 2026 at 10:01, {b.sender[0]} "
        f"<{b.sender[1]}> wrote:\n\n\n{marked(b.text)}"
    )


PLAIN: dict[str, Callable[[Before], str]] = {
    "gmail": _gmail,
    "apple": _apple,
    "thunderbird": _thunderbird,
    "thunderbird-de": _thunderbird_de,
    "outlook": _outlook,
    "outlook-de": _outlook_de,
    "outlook-classic": _outlook_classic,
    "outlook-web": _outlook_web,
    "yahoo": _yahoo,
    "notes": _notes,
    "french": _french,
    "proton": _proton,
}


def _html_gmail(b: Before) -> str:
    return (
        f'<div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Jan 5, 2026 at 10:01 AM {b.sender[0]} '
        f'&lt;{b.sender[1]}&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0">{b.html}'
        "</blockquote></div>"
    )


def _html_apple(b: Before) -> str:
    return (
        f'<div><blockquote type="cite"><div>On 5 Jan 2026, at 10:01, {b.sender[0]} &lt;{b.sender[1]}&gt; wrote:</div>'
        f"<br><div>{b.html}</div></blockquote></div>"
    )


def _html_outlook(b: Before) -> str:
    return (
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3pt 0 0 0"><p>'
        f"<b>From:</b> {b.sender[0]} &lt;{b.sender[1]}&gt;<br><b>Sent:</b> Monday, 5 January 2026 10:01<br><b>To:</b> "
        f"{b.to[0]} &lt;{b.to[1]}&gt;<br><b>Subject:</b> {b.subject}</p></div>{b.html}"
    )


def _html_yahoo(b: Before) -> str:
    return (
        f'<div class="yahoo_quoted"><div>On Monday, January 5, 2026 at 10:01:02 AM GMT+1, {b.sender[0]} '
        f"&lt;{b.sender[1]}&gt; wrote: </div><div><br></div><div>{b.html}</div></div>"
    )


HTML: dict[str, Callable[[Before], str]] = {
    "html-gmail": _html_gmail,
    "html-apple": _html_apple,
    "html-outlook": _html_outlook,
    "html-yahoo": _html_yahoo,
}

CLIENTS = (*PLAIN, *HTML)


def sentences(client: str, number: int) -> list[str]:
    """What message `number` (from 0) of a client's thread says itself; each is said nowhere else."""
    return [
        f"The {client} rollout step {number} needs approval from the platform group.",
        f"Please note that {client} ticket {4100 + number} stays open until the audit in week {20 + number}.",
    ]


def thread(client: str, length: int = 4) -> list[EmailMessage]:
    """Messages of a thread, oldest first, with salutation, signature and disclaimer."""
    out: list[EmailMessage] = []
    before: Before | None = None
    for number in range(length):
        sender, to = PEOPLE[number % 2], PEOPLE[(number + 1) % 2]
        sent_at = START + timedelta(hours=number)
        message = EmailMessage()
        message["From"] = f"{sender[0]} <{sender[1]}>"
        message["To"] = f"{to[0]} <{to[1]}>"
        subject = f"Rollout {client}"
        message["Subject"] = subject if number == 0 else f"Re: {subject}"
        message["Date"] = format_datetime(sent_at)
        message["Message-ID"] = f"<{client}-{number}@example.org>"
        if number:
            message["In-Reply-To"] = f"<{client}-{number - 1}@example.org>"
        own = sentences(client, number)
        signature = f"Best regards,\n{sender[0]}\nPlatform Group"
        text = "\n\n".join([f"Hi {to[0].split()[0]},", *own, signature, DISCLAIMER])
        page = (
            f"<p>Hi {to[0].split()[0]},</p><p>{own[0]}</p><p>{own[1]}</p><p>Best "
            f"regards,<br>{sender[0]}<br>Platform Group"
            f"</p><p>{DISCLAIMER}</p>"
        )
        if before is not None:
            text += "\n\n" + PLAIN.get(client, _gmail)(before)
            page += HTML.get(client, _html_gmail)(before)
        if client in HTML:
            message.set_content(f"<html><body>{page}</body></html>", subtype="html")
        else:
            message.set_content(text)
        before = Before(text, page, sender, to, sent_at, str(message["Subject"]))
        out.append(message)
    return out


def mailbox(messages: list[EmailMessage]) -> bytes:
    """The messages as one mbox file."""
    out = b""
    for message in messages:
        body = message.as_bytes()
        out += b"From MAILER-DAEMON Mon Jan  5 10:01:02 2026\n" + body.replace(b"\nFrom ", b"\n>From ") + b"\n"
    return out
