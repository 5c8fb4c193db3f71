"""Numbers of persons of further countries, checked by python-stdnum; most need a word beside them.

`certain` only where the form is rare enough (fixed letters, signs or prefix) besides the check digit.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from redaction.identities import IdentityNumber, pattern, words


def _checked(module: str) -> Callable[[str], bool]:
    """Validity by `stdnum.<module>`, which is loaded when a number is first seen."""

    def is_valid(value: str) -> bool:
        return bool(import_module(f"stdnum.{module}").is_valid(value))

    return is_valid


FURTHER_NUMBERS = (
    IdentityNumber(
        "NL_BSN",
        None,
        pattern(r"\d{4}[ .]?\d{2}[ .]?\d{3}"),
        words(r"\bbsn\b|burgerservice|sofinummer"),
        _checked("nl.bsn"),
        stems=("bsn", "burgerservice", "sofinummer"),
    ),
    IdentityNumber(
        "BE_NN",
        pattern(r"\d{2}\.(?:0\d|1[0-2])\.[0-3]\d-\d{3}\.\d{2}"),
        pattern(r"\d{2}[.]?\d{2}[.]?\d{2}[- ]?\d{3}[. ]?\d{2}"),
        words(r"rijksregister|registre national|numéro national|nationaal nummer|\binsz\b|\bniss\b"),
        _checked("be.nn"),
        stems=("rijksregister", "registre national", "numéro national", "nationaal nummer", "insz", "niss"),
    ),
    IdentityNumber(
        "CH_AHV",
        pattern(r"756[. ]\d{4}[. ]\d{4}[. ]\d{2}"),
        pattern(r"756\d{10}"),
        words(r"\bahv\b|\bavs\b|sozialversicherungsn|numéro avs"),
        _checked("ch.ssn"),
        stems=("ahv", "avs", "sozialversicherungsn"),
    ),
    IdentityNumber(
        "AT_VNR",
        None,
        pattern(r"\d{4} ?(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}"),
        words(r"sozialversicherungsn|\bsv-?n(?:umme)?r\b|versicherungsnummer"),
        _checked("at.vnr"),
        stems=("versicherungsn", "sv-n", "svn"),
    ),
    IdentityNumber("PL_PESEL", None, pattern(r"\d{11}"), words(r"\bpesel\b"), _checked("pl.pesel"), stems=("pesel",)),
    IdentityNumber(
        "SE_PERSONNUMMER",
        None,
        pattern(r"(?:19|20)?\d{6}[-+]?\d{4}"),
        words(r"personnummer|personal identity number"),
        _checked("se.personnummer"),
        stems=("personnummer", "identity number"),
    ),
    IdentityNumber(
        "DK_CPR",
        None,
        pattern(r"\d{6}[- ]?\d{4}"),
        words(r"\bcpr\b|personnummer"),
        _checked("dk.cpr"),
        stems=("cpr", "personnummer"),
    ),
    IdentityNumber(
        "NO_FNR",
        None,
        pattern(r"\d{6} ?\d{5}"),
        words(r"fødselsnummer|fodselsnummer|\bfnr\b|national identity number"),
        _checked("no.fodselsnummer"),
        stems=("dselsnummer", "fnr", "identity number"),
    ),
    IdentityNumber(
        "FI_HETU",
        pattern(r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]"),
        None,
        words(r"henkilötunnus|\bhetu\b"),
        _checked("fi.hetu"),
    ),
    IdentityNumber(
        "PT_NIF",
        None,
        pattern(r"[123]\d{2} ?\d{3} ?\d{3}"),
        words(r"\bnif\b|contribuinte"),
        _checked("pt.nif"),
        stems=("nif", "contribuinte"),
    ),
    IdentityNumber(
        "CA_SIN",
        None,
        pattern(r"[1-79]\d{2}[- ]?\d{3}[- ]?\d{3}"),
        words(r"\bsin\b|social insurance"),
        _checked("ca.sin"),
        stems=("sin", "social insurance"),
    ),
    IdentityNumber(
        "MX_CURP", pattern(r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d"), None, words(r"\bcurp\b"), _checked("mx.curp")
    ),
    IdentityNumber(
        "KR_RRN",
        pattern(r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-\d{7}"),
        None,
        words(r"주민등록번호|resident registration"),
        _checked("kr.rrn"),
    ),
    IdentityNumber(
        "TR_ID",
        None,
        pattern(r"[1-9]\d{10}"),
        words(r"t\.?c\.? ?kimlik|kimlik (?:no|numarası)"),
        _checked("tr.tckimlik"),
        stems=("kimlik",),
    ),
    IdentityNumber(
        "UK_NHS", None, pattern(r"\d{3}[ -]?\d{3}[ -]?\d{4}"), words(r"\bnhs\b"), _checked("gb.nhs"), stems=("nhs",)
    ),
    IdentityNumber(
        "CZ_RC", None, pattern(r"\d{6}/?\d{3,4}"), words(r"rodné číslo"), _checked("cz.rc"), stems=("rodné",)
    ),
    IdentityNumber("HR_OIB", None, pattern(r"\d{11}"), words(r"\boib\b"), _checked("hr.oib"), stems=("oib",)),
    IdentityNumber(
        "SI_EMSO", None, pattern(r"\d{13}"), words(r"\bemšo\b|\bjmbg\b"), _checked("si.emso"), stems=("emšo", "jmbg")
    ),
    IdentityNumber(
        "BG_EGN", None, pattern(r"\d{10}"), words(r"\begn\b|\bегн\b"), _checked("bg.egn"), stems=("egn", "егн")
    ),
    IdentityNumber("RO_CNP", None, pattern(r"[1-9]\d{12}"), words(r"\bcnp\b"), _checked("ro.cnp"), stems=("cnp",)),
    IdentityNumber(
        "EE_IK", None, pattern(r"[1-8]\d{10}"), words(r"isikukood"), _checked("ee.ik"), stems=("isikukood",)
    ),
    IdentityNumber(
        "LT_AK", None, pattern(r"[1-9]\d{10}"), words(r"asmens kod"), _checked("lt.asmens"), stems=("asmens kod",)
    ),
    IdentityNumber(
        "IS_KT", None, pattern(r"\d{6}-?\d{4}"), words(r"kennitala"), _checked("is_.kennitala"), stems=("kennitala",)
    ),
    IdentityNumber(
        "IE_PPS", None, pattern(r"\d{7}[A-W][A-IW]?"), words(r"\bpps ?n"), _checked("ie.pps"), stems=("ppsn", "pps n")
    ),
    IdentityNumber(
        "GR_AFM",
        None,
        pattern(r"\d{9}"),
        words(r"\bafm\b|αφμ|α\.φ\.μ"),
        _checked("gr.vat"),
        stems=("afm", "αφμ", "α.φ.μ"),
    ),
    IdentityNumber("RU_INN", None, pattern(r"\d{12}"), words(r"\bинн\b"), _checked("ru.inn"), stems=("инн",)),
    IdentityNumber(
        "AU_TFN",
        None,
        pattern(r"\d{3} ?\d{3} ?\d{3}"),
        words(r"\btfn\b|tax file n"),
        _checked("au.tfn"),
        stems=("tfn", "tax file n"),
    ),
    IdentityNumber(
        "MX_RFC", None, pattern(r"[A-Z]{4}\d{6}[A-Z\d]{3}"), words(r"\brfc\b"), _checked("mx.rfc"), stems=("rfc",)
    ),
)
"""National numbers, one entry a country."""
