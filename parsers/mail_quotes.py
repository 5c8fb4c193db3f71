"""Which lines of a mail are its own words, and which are quoted, signature, disclaimer or salutation.

Works on the words alone, as mail programs write them in several languages: attribution lines ("On ..., X wrote:"),
header blocks ("From: / Sent: / Subject:", "Von: / Gesendet: / Betreff:"), separators, and lines that begin with ">".
An answer written between quoted lines is kept. What a forward brings along is kept: it is what the mail is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kprep.core.models import ElementKind

OWN = ElementKind.PARAGRAPH
QUOTED, SIGNATURE = ElementKind.QUOTED_REPLY, ElementKind.SIGNATURE
DISCLAIMER, GREETING = ElementKind.DISCLAIMER, ElementKind.GREETING

_QUOTE_MARK = re.compile(r"\s{0,3}(?:>|\|(?=[\s>|]|\S))")
_WROTE = (
    r"(?:wrote|writes|said|schrieb|geschrieben|a écrit|escribió|ha scritto|schreef|escreveu|skrev|"
    r"napisał(?:\(a\)|a)?|"
    r"napsal(?:\(a\)|a)?|kirjoitti|написал(?:\(а\)|а)?|пише|yazdı|写道|寫道|のメール|さんは書きました)"
)
_ON = (
    r"(?:(?:on|am|le|el|il|op|em|den|dne|w dniu|pe|ngày|в|at|um|lun|mar|mer|jeu|ven|sam|dim|mon|tue|wed|thu|fri|"
    r"sat|sun)\b|"
    r"[在于於]|\d{1,4}[-./年])"
)
_ATTRIBUTION = re.compile(rf"(?i)^[\s>|]*{_ON}.{{0,220}}?\d.{{0,220}}?{_WROTE}\s*[:：]\s*$")
_WROTE_FIRST = re.compile(
    rf"(?i)^[\s>|]*\S.{{0,120}}\s{_WROTE}\s+(?:on|am|le|el|il|op|em)\s.{{0,80}}\d.{{0,60}}[:：]\s*$"
)
_CERTAIN = re.compile(r"\d{1,2}:\d\d|@")
_SAID = re.compile(rf"(?i)^[\s>|]*[\w'’.,<>@\" /-]{{2,120}}\s{_WROTE}\s*[:：]\s*$")
_LABELS = {
    "from": "from von de da van fra från från: od 发件人 寄件者 寄件人 差出人 от kimden lähettäjä".split(),
    "date": "sent date gesendet datum envoyé enviado inviato verzonden sendt skickat wysłano data fecha 发送时间 "
    "日期 寄件日期 送信日時 отправлено gönderildi lähetetty posted".split(),
    "to": "to an à para a aan til till do 收件人 宛先 кому kime vastaanottaja cc kopie".split(),
    "subject": "subject betreff objet asunto oggetto onderwerp emne ämne temat assunto 主题 主旨 件名 тема konu "
    "aihe".split(),
}
_LABEL_OF = {word: kind for kind, words in _LABELS.items() for word in words}
_LABEL = re.compile(r"^[\s>|*_]*([^\W\d_]{1,14})\s*\*{0,2}\s*[:：]\*{0,2}\s*\S")
_SEPARATOR = re.compile(
    r"(?i)^[\s>|]*(?:[-_=*]{2,}\s*(?:original message|original-nachricht|ursprüngliche nachricht|message d'origine|"
    r"message original|mensaje original|messaggio originale|oorspronkelijk bericht|original appointment|"
    r"原始邮件|原始郵件|"
    r"reply message|mensagem original|исходное сообщение)\s*[-_=*]{2,})\s*$"
)
_FORWARD = re.compile(
    r"(?i)^[\s>|]*(?:[-_=]{2,}\s*(?:forwarded (?:message|by)|weitergeleitete nachricht|message transféré|"
    r"mensaje reenviado|"
    r"messaggio inoltrato|doorgestuurd bericht|转发邮件|转发的邮件)[^\n]*|begin forwarded message\s*:|"
    r"anfang der weitergeleiteten nachricht\s*:|début du message réexpédié\s*:)\s*$"
)
_FORWARD_SUBJECT = re.compile(r"(?i)^\s*(?:fwd?|wg|tr|rv|vs|i|doorst|enc|转发|轉寄)\s*[:：]")
_RULE_LINE = re.compile(r"^[\s>|]*[_-]{10,}\s*$")
_DELIMITER = re.compile(r"^--\s?$|^—\s?$|^__\s?$")
_PHONE_SIGNATURE = re.compile(
    r"(?i)^\W*(?:sent (?:from|via|with|using) (?:my |the )?\S.{0,50}|get outlook for .{2,20}|von meinem .{2,40} "
    r"gesendet|"
    r"gesendet (?:mit|von) .{2,50}|envoyé (?:de|depuis|avec) .{2,50}|enviado (?:desde|con) .{2,50}|inviato da "
    r".{2,50}|"
    r"verzonden (?:vanaf|met) .{2,50}|diese nachricht wurde von meinem .{2,60}|yahoo mail.{0,40}|"
    r"从我的.{1,20}发送|发自我的.{1,20})\W*$"
)
_CLOSING = re.compile(
    r"(?i)^\W*(?:(?:with |my |all )?(?:best|kind|warm|kindest|many|warmest)(?: regards| wishes| thanks)?|"
    r"regards|cheers|sincerely(?: yours)?|"
    r"yours(?: sincerely| truly| faithfully)?|thanks(?: again| and regards| & regards|,? best)?|thank you|many "
    r"thanks|"
    r"(?:mit )?(?:freundlichen?|besten?|lieben?|herzlichen?|viele) (?:grüßen?|gruß|grüsse|gruss)|mfg|lg|vg|"
    r"danke(?: und gruß)?|"
    r"cordialement|bien (?:cordialement|à vous)|(?:saludos|un saludo)(?: cordiales)?|atentamente|cordiali saluti|"
    r"met vriendelijke groet(?:en)?|com os melhores cumprimentos|祝好|此致|谢谢|"
    r"以上、よろしくお願いいたします。?)\W*$"
)
_SALUTATION = re.compile(
    r"(?i)^\W*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|liebe[rs]?|sehr "
    r"geehrte[rs]?|guten (?:tag|morgen|abend)|"
    r"moin|servus|bonjour|salut|chers?|chères?|hola|buenos días|buenas|estimad[oa]s?|ciao|buongiorno|gentile|"
    r"beste|geachte|"
    r"olá|caro|hej|dzień dobry|您好|你好|各位)(?:[\s,]+[^\s.!?:;]{1,25}){0,5}\s*[,!.:，：]?\s*$"
)
_DISCLAIMER = re.compile(
    r"(?i)(?:this (?:e-?mail|message|communication)(?: \([^)]*\))?(?:,? (?:and|including) any (?:attachments?|"
    r"files?)[^.]{0,40})?,? (?:is|are|may be|may contain|contains|and)"
    r"[^.]{0,80}(?:confidential|privileged|intended)|if you (?:are not|have received|received) (?:the intended|"
    r"this (?:e-?mail|message))|"
    r"intended (?:solely|only) for the|please consider the environment|diese (?:e-?mail|nachricht) (?:enthält|"
    r"ist|kann)[^.]{0,60}vertraulich|"
    r"bitte (?:denken sie an|prüfen sie)[^.]{0,30}(?:umwelt|ausdruck)|ce (?:message|"
    r"courriel)[^.]{0,80}(?:confidentiel|destinataire)|"
    r"este (?:mensaje|correo)[^.]{0,80}(?:confidencial|destinatario)|(?:virus[- ]free|scanned for viruses)|"
    r"confidentiality (?:notice|note)|"
    r"本邮件[^。]{0,30}(?:保密|机密))"
)
_LIST_FOOTER = re.compile(
    r"(?i)^\s*(?:_{20,}|-{20,}|~{5,})\s*$|^\s*(?:you received this message because you are subscribed|to "
    r"unsubscribe|mailing list\b|"
    r"unsubscribe[: ]|visit this group)"
)
SIGNATURE_LINES = 12
"""A block after a closing phrase is a signature up to this many lines; longer ones are text."""
SHORT_LINE = 70


def label_lines(text: str, subject: str) -> list[ElementKind]:
    """Kind of each line of a mail's text: PARAGRAPH for its own words, else what it is."""
    lines = text.split("\n")
    kinds = _quoted(lines, forwarded=_FORWARD_SUBJECT.match(subject) is not None)
    for first, last in _runs(kinds):
        _label_own(lines, kinds, first, last)
    return kinds


def _runs(kinds: Sequence[ElementKind]) -> list[tuple[int, int]]:
    """Half-open spans of the mail's own lines."""
    runs: list[tuple[int, int]] = []
    start = None
    for index, kind in enumerate([*kinds, QUOTED]):
        if kind is OWN and start is None:
            start = index
        elif kind is not OWN and start is not None:
            runs.append((start, index))
            start = None
    return runs


def _quoted(lines: Sequence[str], *, forwarded: bool) -> list[ElementKind]:
    kinds = [OWN] * len(lines)
    index = 0
    while index < len(lines):
        if _FORWARD.match(lines[index]):
            end = _header_end(lines, index + 1)
            kinds[index:end] = [QUOTED] * (end - index)  # only its header block: what is forwarded stays
            forwarded = True
            index = max(end, index + 1)
            continue
        size = _attribution(lines, index)
        block = 0 if size else _header_end(lines, index) - index
        separator = _SEPARATOR.match(lines[index]) is not None
        if size and _quote_follows(lines, index + size):
            kinds[index : index + size] = [QUOTED] * size
            index += size
            continue
        certain = size and _CERTAIN.search(" ".join(lines[index : index + size]))
        if certain or separator or block >= 3:
            if forwarded and (block >= 3 or separator):
                end = _header_end(lines, index + (1 if separator else 0))
                kinds[index:end] = [QUOTED] * (end - index)
                forwarded = False
                index = max(end, index + 1)
                continue
            start = index - 1 if index and _RULE_LINE.match(lines[index - 1]) else index
            kinds[start:] = [QUOTED] * (len(lines) - start)
            break
        if _QUOTE_MARK.match(lines[index]):
            kinds[index] = QUOTED
        index += 1
    return kinds


def _attribution(lines: Sequence[str], index: int) -> int:
    """Number of lines (1 to 3) of an attribution that begins here, or 0."""
    if not lines[index].strip():
        return 0
    for size in (1, 2, 3):
        part = lines[index : index + size]
        if len(part) < size or not part[-1].strip():
            return 0
        joined = " ".join(part)
        if len(joined) <= 400 and (_ATTRIBUTION.match(joined) or _WROTE_FIRST.match(joined)):
            return size
        if size == 1 and _SAID.match(joined) and _quote_follows(lines, index + 1):
            return 1
    return 0


def _quote_follows(lines: Sequence[str], index: int) -> bool:
    following = next((line for line in lines[index : index + 4] if line.strip()), "")
    return _QUOTE_MARK.match(following) is not None


def _header_end(lines: Sequence[str], index: int) -> int:
    """Index after a header block that begins at `index` (blank lines and a rule before it included), or `index`."""
    at = index
    while at < len(lines) and (not lines[at].strip() or _RULE_LINE.match(lines[at])) and at - index < 4:
        at += 1
    found: set[str] = set()
    first = at
    while at < len(lines) and lines[at].strip():
        label = _LABEL.match(lines[at])
        kind = _LABEL_OF.get(label.group(1).lower(), "") if label else ""
        if label is None and at > first and len(lines[at]) < 200 and found:  # a folded header line
            if at > first + 8:
                break
            at += 1
            continue
        if not kind:
            break
        found.add(kind)
        at += 1
    if len(found) < 3 or "from" not in found:
        return index
    return at


def _label_own(lines: Sequence[str], kinds: list[ElementKind], first: int, last: int) -> None:
    """Mark salutation, signature and disclaimer of a run of own lines."""
    end = last
    for index in range(first, last):
        if _DELIMITER.match(lines[index]) and last - index <= 40:
            _mark(lines, kinds, index, last, SIGNATURE)
            end = index
            break
    end = _mark_disclaimer(lines, kinds, first, end)
    for index in range(first, end):
        if _PHONE_SIGNATURE.match(lines[index]):
            kinds[index] = SIGNATURE
            if index and _RULE_LINE.match(lines[index - 1]):
                kinds[index - 1] = SIGNATURE
    _mark_closing(lines, kinds, first, end)
    for index in range(first, end):
        if lines[index].strip():
            if len(lines[index]) < SHORT_LINE and _SALUTATION.match(lines[index]):
                kinds[index] = GREETING
            break
    for index in range(end - 1, first - 1, -1):
        if kinds[index] is OWN and lines[index].strip():
            if _RULE_LINE.match(lines[index]):
                kinds[index] = SIGNATURE
                continue
            break


def _mark(lines: Sequence[str], kinds: list[ElementKind], first: int, last: int, kind: ElementKind) -> None:
    for index in range(first, last):
        if lines[index].strip():
            kinds[index] = kind


def _mark_disclaimer(lines: Sequence[str], kinds: list[ElementKind], first: int, end: int) -> int:
    """Mark a disclaimer or list footer at the end of a run; index where the text before it ends."""
    begin = first
    for index in range(first, end):
        if not lines[index].strip():
            begin = index + 1
            continue
        paragraph = _paragraph(lines, begin, end)
        if index == begin and _DISCLAIMER.search(paragraph) and index > first:
            _mark(lines, kinds, index, end, DISCLAIMER)
            return index
        if _LIST_FOOTER.match(lines[index]) and index > first and _only_footer(lines, index, end):
            _mark(lines, kinds, index, end, DISCLAIMER)
            return index
    return end


def _paragraph(lines: Sequence[str], begin: int, end: int) -> str:
    stop = next((at for at in range(begin, end) if not lines[at].strip()), end)
    return " ".join(lines[begin:stop])


def _only_footer(lines: Sequence[str], index: int, end: int) -> bool:
    rest = " ".join(lines[index:end])
    return end - index <= 8 and re.search(r"(?i)unsubscribe|mailing list|subscribed", rest) is not None


def _mark_closing(lines: Sequence[str], kinds: list[ElementKind], first: int, end: int) -> None:
    """Mark from a closing phrase on, when only a short block follows it."""
    for index in range(end - 1, first - 1, -1):
        if kinds[index] is not OWN or not _CLOSING.match(lines[index]) or len(lines[index]) > SHORT_LINE:
            continue
        after = [
            line
            for line, kind in zip(lines[index + 1 : end], kinds[index + 1 : end], strict=True)
            if line.strip() and kind is OWN
        ]
        if len(after) <= SIGNATURE_LINES and all(len(line) <= SHORT_LINE and not _is_sentence(line) for line in after):
            _mark(lines, kinds, index, end, SIGNATURE)
        return


def _is_sentence(line: str) -> bool:
    """A signature has names and numbers; what ends like a sentence of some length is text."""
    return len(line.split()) >= 6 and line.rstrip().endswith((".", "!", "?", "。"))
