"""Which messages of a conversation say nothing that is worth keeping: greetings, thanks, agreement, reactions."""

from __future__ import annotations

import re

from kprep.core.models import ElementKind

LONGEST_WORDS = 8
_TOKEN = re.compile(r"[@#]?[\w'’+-]+")
_EMOJI = re.compile(r":[a-z0-9_+-]{1,40}:|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]|[:;]-?[)(DPp]|<3")
_GREETINGS = frozenset(
    "hi hello hey hiya heya yo howdy morning afternoon evening night good greetings welcome all everyone "
    "everybody team folks "
    "guys there bye goodbye cya hallo moin servus guten morgen tag abend tschüss bonjour bonsoir salut hola "
    "buenos buenas días "
    "ciao buongiorno olá again back monday friday weekend happy have a nice great day see you later tomorrow take care "
    "from".split()
)
_GREETING_STARTS = frozenset(
    "hi hello hey hiya heya yo howdy morning afternoon evening good greetings welcome bye goodbye cya hallo "
    "moin servus guten "
    "tschüss bonjour bonsoir salut hola buenos buenas ciao buongiorno olá happy have see".split()
)
_CHATTER = frozenset(
    "ok okay okey k kk yes yep yeah yup sure no nope thanks thank thx ty you very much so a lot many cheers "
    "great nice cool "
    "awesome perfect excellent amazing good sounds works fine done noted got it that will do on my way np "
    "problem welcome "
    "you're youre lol haha hahaha hehe rofl omg wow +1 1 same here agreed agree indeed exactly right true i am "
    "is me too "
    "brb afk back sec one moment minute please sorry oops hmm hm ah oh well congrats congratulations happy birthday "
    "anyone lunch coffee ping bump up this for the help all everyone guys team danke merci gracias grazie super "
    "prima "
    "genau klar gerne ja nein jo".split()
)


def kind_of(text: str) -> ElementKind:
    """GREETING, CHATTER, or PARAGRAPH for what says something."""
    bare = _EMOJI.sub(" ", text)
    tokens = [token.casefold().replace("’", "'") for token in _TOKEN.findall(bare)]
    if not tokens:
        return ElementKind.CHATTER
    if len(tokens) > LONGEST_WORDS:
        return ElementKind.PARAGRAPH
    words = [token for token in tokens if not token.startswith("@")]
    if words and words[0] in _GREETING_STARTS and all(word in _GREETINGS for word in words):
        return ElementKind.GREETING
    if all(word in _CHATTER or word in _GREETINGS for word in words):
        return ElementKind.CHATTER
    return ElementKind.PARAGRAPH
