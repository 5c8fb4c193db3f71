"""The language whose recognizers run on a text: one, where text and document agree; all, where there is any doubt."""

from __future__ import annotations

LANGUAGES = ("en", "zh", "de", "fr", "es", "it", "pt", "nl")
"""Languages that some recognizer knows words of."""
ANY = "xx"
"""All recognizers run. Also for languages not listed: the neutral ones find values of every country."""

_COMMON = {
    "en": (" the ", " and ", " of ", " is ", "The "),
    "de": (" und ", " der ", " ist ", " nicht ", "straße", "Straße"),
    "fr": (" les ", " des ", " est ", " une ", " rue ", "avenue "),
    "es": (" los ", " las ", " el ", " del ", "alle ", "venida ", "aseo ", "laza "),
    "it": (" il ", " di ", " che ", " della ", " via ", "Via ", "iazza ", "orso ", "iale "),
    "pt": (" não ", " uma ", " os ", " da ", " rua ", "Rua ", "ravessa ", "argo "),
    "nl": (" het ", " een ", " van ", "straat"),
    "zh": ("的", "。", "，", "、", "是", "号", "路"),
}


def language_of(text: str, stated: str = "") -> str:
    """The language of LANGUAGES that the text's commonest words show and nothing contradicts, else ANY.

    `stated`: what the document says of itself ("de", "zh-CN"); it is often wrong, so it decides only where the text
    shows no other language. Leaving recognizers out must never cost a value, so one foreign word is enough for ANY.
    """
    shown = {code} if (code := stated.lower().partition("-")[0].partition("_")[0]) else set()
    for language, words in _COMMON.items():
        if language not in shown and any(word in text for word in words):
            shown.add(language)
        if len(shown) > 1:
            return ANY
    return shown.pop() if shown and shown <= set(LANGUAGES) else ANY
