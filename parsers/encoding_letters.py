"""Letters by which an encoding is told: alphabets beyond ASCII by frequency, and common signs of CJK texts."""

from __future__ import annotations

import math

ALPHABETS = {
    "de": "üäößé", "fr": "éèàêçôùîûâœëïüæÿ", "es": "óíáéñúüºª", "pt": "ãçáéóíêõâúàôüºª", "it": "àèìòùéóº",
    "nl": "éëïèöüó", "ca": "àéóèíòçúïü·", "da": "øåæéö", "no": "åøæéòô", "sv": "äåöéü", "fi": "äöåéšž",
    "is": "áíðéóþúæýö", "en": "éïñöüèçôâ", "et": "äõüöšž", "lv": "āīšēņļūčģķž", "lt": "ėšųžįčąūę", "pl": "łąęóżśćńź",
    "cs": "íáéěřýžščůúťňďó", "sk": "áíéčšýžúľťôďňäóĺŕ", "hu": "áéőöóíűüú", "ro": "ăîâşţșț", "hr": "čšžćđ", "sq": "ëç",
    "tr": "ışğüçöâî", "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "uk": "оанивіетрслкдумпзягьбчйхцєжшюїщфґ",
    "be": "аніеыоркслтвдмяпузьўгбчйжшхцюэёф", "bg": "аоиетнрвслкдпмзугъчщцбйхжяьюшф",
    "sr": "аоиеунјрстдквмпглзбшчжћцњхђљџф", "mk": "аоиетнрвслкдпмзујгбчшцхжќџљњѓфѕ",
    "el": "αοιετσνηρπκυμςλωόίάγέθδήχύφώβξζψϊϋΐΰ", "he": "יוהלאתרמבשנדחםקעפטכסןגצזךףץ",
    "ar": "اليمنرتوبعدفهسكقحةجأشطصخىئذزضغإثءظؤآ", "fa": "ایرنهمدتوسشبکزگقفلخجعپحچآطصضئذغثژظء",
    "th": "านรกอเง่มยลวดท้ัตสะปิีบคชจพหขุู์แไใืำผึโภธณศซถ็ฐษฎฉฟญฝฮฏ",
}  # fmt: skip
"""Letters beyond ASCII of a language, the commonest first."""

LATIN = frozenset("de fr es pt it nl ca da no sv fi is en et lv lt pl cs sk hu ro hr sq tr".split())
"""Languages most of whose letters are ASCII: the words between say which it is."""

RARE = math.log(0.0005)
"""What a letter counts that a language has not."""

PUNCTUATION = frozenset("“”‘’‚„–—…«»‹›•·€£§©®™°±¹²³ªºµ½¼¾‰×÷¿¡\u00a0\u00ad№´،؛؟ـ׳״־฿ๆฯ")
DRAWING = range(0x2500, 0x25A1)
KANA = range(0x3041, 0x30FF)

HANZI = frozenset(
    "的一是不了人我在有他这中大来上个国和也时到说们为子要就出会可以年生作地于后自之用发天然家学对小多么成"
    "方经能下过行面进着动理工部高分现业电机体同日本公实民主法外新如定加全间体力开本长样水些情点当前所文化"
    "量其关重等请款策户客七内申规员工期周提交假司政务管信息项目系统据使数网第二三四五六十号月联表名单合无"
    "应按件每须或与向這來個國時說們為會後發學對麼經過進動業電機體實開長樣點當關請員週規務資訊項統據數網號"
    "聯單無應與準處應該將並從"
)
"""Common ideographs, of simplified and of traditional texts."""
HANGUL = frozenset(
    "이다의는을에가로고하지사한은기어리그인도나자아일시대정라수서해부스보구여들제주으과를상전있장성니면만"
    "공국원적오안세무합습화관경동선소위비개할유신게생간와중문요실내조입용방회금교연분물되미저마거계발식품"
    "휴직신청반환출까"
)
"""Common syllables of Korean."""
WIDE_PUNCTUATION = frozenset("、。，．：；？！（）「」『』《》〈〉“”‘’【】〔〕…—·～ー　％＋／々〇０１２３４５６７８９")


def frequencies(language: str) -> dict[str, float]:
    """Logarithm of how often a letter is among those beyond ASCII: it falls evenly along the alphabet. Of Latin ones
    beside the commonest, so that those with few letters do not win by it."""
    letters = ALPHABETS[language]
    if language in LATIN:
        return {letter: -1 - 2 * at / len(letters) for at, letter in enumerate(letters)}
    weights = [math.exp(-4 * at / len(letters)) for at in range(len(letters))]
    whole = sum(weights)
    return {letter: math.log(weight / whole) for letter, weight in zip(letters, weights, strict=True)}


def is_familiar(sign: str) -> bool:
    """Whether a sign beyond ASCII is of one of the alphabets, common in CJK text, or a punctuation mark."""
    known = HANZI, HANGUL, WIDE_PUNCTUATION, PUNCTUATION
    return ord(sign) in KANA or any(sign in signs for signs in known) or _is_of_alphabet(sign.lower())


def _is_of_alphabet(letter: str) -> bool:
    return any(letter in letters for letters in ALPHABETS.values())
