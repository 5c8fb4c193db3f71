"""Names that the words or lines around them announce; they need no model and complete one.

English: "my name is", titles, speakers, who says or lives somewhere, and the name above a postal address, phone or
e-mail (a letter head, a signature). Chinese: a surname with one or two characters after a label such as 姓名, before a
title such as 先生, or after 我叫; a Chinese model in a package with a usable licence was not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.spans import UPPER

CAPITAL = rf"(?:{UPPER}\.(?=[ ]{UPPER})|{UPPER}(?:[\w'’]|-(?=\w))*)"
"""A word with a capital letter, or an initial with its point."""
PARTICLE = "de|van|von|der|den|di|da|do|dos|del|la|le|el|al|bin|ten|ter"
_FULL = rf"{CAPITAL}(?:[ ](?:(?:{PARTICLE})[ ]){{0,2}}{CAPITAL}){{0,3}}"
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau)\b\.?"

_ANNOUNCED = re.compile(
    rf"\b(?:(?P<title>{_TITLE})[ \t]{{1,6}}"
    r"|(?i:name(?:[ ]is|['’]s|[ \t]*:)[ \t]{1,6}|name[ ]on[ ][^\n]{3,30}\?[ ]\w+:[ ]"
    r"|(?:call(?:s|ed)?|named)[ ](?:me|him|her|them)[ ]|(?:directed|written|signed)[ ]by:?[ ]{1,6}"
    r"|(?:author|contact|attn|owner|reviewer|customer|patient|employee|address|to|wrote|says|said|asked):[ \t]{1,6}))"
    rf"(?P<name>{_FULL})"
)
_BEFORE_VERB = re.compile(
    rf"(?:^|(?<=[\n.!?\"“>,]))[ \t]*(?P<name>{_FULL})(?i:(?=[ ](?:lives?|lived|resides?|works?|was[ ]born)[ ]"
    r"(?:at|on|in)\b|,[ ](?:can|could|would|will)[ ](?:i|you)\b))"
)
_AFTER_VERB = re.compile(rf"[\"”’'],?[ ](?i:says?|said|asks?|asked|replied|explained|wrote)[ ](?P<name>{_FULL})")
_SPEAKER = re.compile(rf"^(?P<name>{_FULL}):[ ]?[\"“]", re.MULTILINE)
_POSSESSED = re.compile(
    rf"\b(?P<name>{CAPITAL})['’](?i:s)[ ](?i:wife|husband|son|daughter|father|mother|brother|sister|boss|"
    r"manager|birthday|account|address|phone|e-?mail)\b"
)
_FORMS = (_ANNOUNCED, _BEFORE_VERB, _AFTER_VERB, _SPEAKER, _POSSESSED)
# Words that stand where a name could and are none.
_NO_NAME = frozenset(
    re.findall(
        r"\w+",
        """the this that these those it its he she they we you your our my i a an and or if when where what who how why
        there here please note yes no not all each every some any one none new old null true false default error
        warning info debug query question answer user bot agent customer system admin name value team support sales
        everyone everybody nobody someone address phone email mail fax website web site page title section step
        example unknown anonymous data service server client table figure monday tuesday wednesday thursday friday
        saturday sunday january february march april may june july august september october november december""",
    )
)

_LINE = re.compile(r"^[ \t>|*]*(?P<value>[^\n\0]*?)[ \t,*|]*$", re.MULTILINE)
_LINE_NAME = re.compile(rf"{CAPITAL}(?:[ ](?:(?:{PARTICLE})[ ]){{0,2}}{CAPITAL}){{1,3}}")
_CONTACT_LINE = re.compile(
    r"(?i)(?:phone|tel|telephone|mobile|cell|desk|fax|e-?mail|address)\b\.?\s*:|\S+@\S+\.\w|\+?\(?\d[\d ()./-]{7,}\d\Z|"
    r"\d{1,6}[A-Z]?[ ](?:\d{1,4}[ ])?(?-i:" + UPPER + r")[^\W\d_][^\n]*\Z|p\.?o\.?[ ]box\b"
)
_ABOVE = 5
"""Lines with words that a name may stand above the contact it belongs to."""
_LONGEST_LINE = 64

_CN_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭"
    "陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧"
    "蘇葉呂蔣盧鍾譚陸賈鄒龍賀顧龔萬錢嚴湯"
)
_CN_DOUBLE = "欧阳|司马|上官|诸葛|司徒|东方|独孤|南宫|夏侯|尉迟|皇甫|慕容|長孫|长孙|宇文|令狐|歐陽|諸葛"
_CN_SURNAME = rf"(?:{_CN_DOUBLE}|[{_CN_SURNAMES}])"
_CN_LABEL = (
    "姓名|联系人|負責人|负责人|经办人|申请人|收件人|收货人|寄件人|作者|患者|客户姓名|员工姓名|户名|持卡人|法定代表人|法人代表|"
    "监护人|紧急联系人|审批人|审核人|编写人|汇报人"
)
_CN_TITLE = (
    "先生|女士|小姐|太太|老师|同学|同志|教授|医生|博士|律师|经理|总监|主任|处长|科长|局长|院长|董事长|总裁|总经理|"
    "工程师|书记|师傅"
)
_CN_NAMES = (
    re.compile(
        rf"(?:{_CN_LABEL})[\s|:：为是\0]{{1,6}}(?P<name>{_CN_SURNAME}[\u4e00-\u9fff]{{1,2}})(?![\u4e00-\u9fff])"
    ),
    re.compile(rf"(?:{_CN_LABEL})(?:[：:]\s?|是|为)(?P<name>{_CN_SURNAME}[\u4e00-\u9fff]{{1,2}})(?=[，。,;；、\s]|$)"),
    re.compile(
        rf"(?:我叫|名叫|叫做|本人|(?<=[，。：；、,\s和与及由向给请找])|^)"
        rf"(?P<name>{_CN_SURNAME}[\u4e00-\u9fff]{{0,2}}?)(?:{_CN_TITLE})",
        re.MULTILINE,
    ),
    re.compile(rf"(?:我叫|名叫|名字是|本人)(?P<name>{_CN_SURNAME}[\u4e00-\u9fff]{{1,2}})(?=[，。,;；、！!\s]|$)"),
)
# What the parts of a title or a place look like beside a surname: "高等", "金融", "马上".
_CN_NO_NAME = re.compile(
    "高级|高等|方案|金融|金属|马上|于是|任何|向上|白色|黄色|石油|江苏|万能|何人|项目|总|副|各|常务|技术|产品"
)


def english_names(text: str) -> Iterator[tuple[int, int]]:
    """Places of names that words or lines announce, titles with them."""
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span("name")
            if match["name"].split()[0].strip(".").lower() in _NO_NAME:
                continue
            if form is _ANNOUNCED and match["title"]:
                start = match.start("title")
            yield start, end
    yield from _above_contacts(text)


def chinese_names(text: str) -> Iterator[tuple[int, int]]:
    """Places of Chinese names: a known surname and one or two characters, announced by a label or a title."""
    for form in _CN_NAMES:
        for match in form.finditer(text):
            if not _CN_NO_NAME.search(match["name"]):
                yield match.span("name")


def _above_contacts(text: str) -> Iterator[tuple[int, int]]:
    """Lines of two to four capitalised words, at the head of a few short lines that lead to an address, phone or
    e-mail; and the lines below that repeat them."""
    lines = [match.span("value") for match in _LINE.finditer(text) if match["value"]]
    for number, (start, end) in enumerate(lines):
        if not _LINE_NAME.fullmatch(text, start, end) or text[start:end].split(maxsplit=1)[0].lower() in _NO_NAME:
            continue
        for below in lines[number + 1 : number + 1 + _ABOVE]:
            if below[1] - below[0] > _LONGEST_LINE or "\0" in text[end : below[0]]:
                break
            if _CONTACT_LINE.match(text, *below):
                yield start, end
                break
