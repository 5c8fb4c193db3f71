"""What has to be set before any heavy library is imported, so that nothing reports home or downloads a model."""

from __future__ import annotations

import os
import re

SETTINGS = {
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "HF_HUB_OFFLINE": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "OMP_THREAD_LIMIT": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
}
"""Read by unstructured, huggingface_hub, onnxruntime, tesseract and Prefect when they are imported."""

_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*|[^\w\s]")
_VERB_ENDING = re.compile(r"[a-z]{3,}(?:ed|ing|i[sz]es?|if(?:y|ies))$")
_VERBS = frozenset(
    "is are was were be been being am has have had do does did can could may might must shall should will would "
    "accept add agree allow apply ask become begin believe bring build buy call change choose click close come "
    "contain continue create cut decide define describe ensure enter exist expect explain find follow get give go "
    "grow happen hear help hold include increase install keep know lead learn leave let like live look lose make "
    "mean meet move need offer open pay play provide put read receive remain remove report require return run say "
    "see seem select send set show sit speak spend stand start stay stop support take talk tell think try turn "
    "understand use wait walk want watch win work write says said goes went makes made takes took gives gave".split()
)


def prepare_environment() -> None:
    """Set what is not set yet. Call before the first import of a heavy library, in every process."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)


def patch_unstructured() -> None:
    """Replace the three functions of unstructured that would download a language model by small rules."""
    from unstructured.nlp import tokenize
    from unstructured.partition import text_type

    replacements = {"sent_tokenize": split_sentences, "word_tokenize": split_words, "pos_tag": tag_verbs}
    for module in (tokenize, text_type):
        vars(module).update(replacements)


def split_sentences(text: str) -> list[str]:
    """Sentences of a text, in order."""
    from sentencex import segment

    return [sentence for sentence in segment("en", text) if sentence.strip()]


def split_words(text: str) -> list[str]:
    """Words and single punctuation marks, in order."""
    return _WORD.findall(text)


def tag_verbs(text: str) -> list[tuple[str, str]]:
    """Each word with "VB" when it is a common verb or ends like one, else "NN": all that unstructured asks for.

    A capital inside a sentence marks a noun ("Scope of Work").
    """
    words = split_words(text)
    return [(word, "VB" if _is_verb(word if index else word.lower()) else "NN") for index, word in enumerate(words)]


def _is_verb(word: str) -> bool:
    return word in _VERBS or _VERB_ENDING.match(word) is not None
