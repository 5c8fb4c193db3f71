"""Each kind of personal data: one value, one harmless look-alike, and one whose check digit is wrong."""

import pytest

from redaction import RedactionPolicy, Redactor
from redaction.policy import KINDS, OPTIONAL_KINDS

PATTERNS = {"CUSTOMER_NUMBER": r"KD-\d{6}"}
DEFAULT = Redactor(RedactionPolicy.load({"patterns": PATTERNS}), b"0123456789abcdef", "acme")
ALL = Redactor(RedactionPolicy.load({"kinds": [*KINDS, *OPTIONAL_KINDS]}), b"0123456789abcdef", "acme")

# kind, text with a value in [], text without, text with a wrong check digit ("" where there is none to be wrong).
# A wrong check digit counts only where no word right before the number says what it is: a mistyped number of a person
# still names that person.
CASES = [
    ("EMAIL", "write to [anna.roe@acme.io] today", "npm install react@18.2.0", ""),
    ("PHONE", "call [+49 30 12345678] now", "in 2024-01-02 10:11:12,345", ""),
    ("PHONE", "appelez le [01 42 68 53 00] demain", "colonnes 1 2 3 4 5 6 7 8 9", ""),
    ("PHONE", "手机[13812345678]。", "订单13812345678901", ""),
    ("CREDIT_CARD", "paid with [4111 1111 1111 1111] today", "1234-5678-1234-5678", "paid with 4111 1111 1111 1112"),
    ("IBAN", "to [DE89 3704 0044 0532 0130 00] please", "GB2024 release", "to DE89 3704 0044 0532 0130 02 please"),
    ("BANK_ACCOUNT", "account number [12345678]", "AWS account number 123456789012", ""),
    ("US_SSN", "on file: [123-45-6789]", "trace 110bcd25-a55d-453a", "on file: 000-45-6789"),
    ("UK_NINO", "on file: [AB 12 34 56 C]", "part QQ 12 34 56 X", "on file: BG 12 34 56 C"),
    ("DE_TAX_ID", "Steuer-ID: [86 095 742 719]", "Zeile 86 095 742 719", "Steuer, für alle Jahre, 86 095 742 718"),
    ("FR_NIR", "dossier [1 85 05 78 006 084 91]", "lignes 1 85 05 78", "dossier 1 85 05 78 006 084 92"),
    ("ES_ID", "expediente [12345678Z]", "lote 12345678", "expediente 12345678A"),
    ("ES_ID", "expediente [X1234567L]", "modelo X12345", "expediente X1234567A"),
    ("IT_FISCAL_CODE", "pratica [RSSMRA85T10A562S]", "modulo RSSMRA85", "pratica RSSMRA85T10A562T"),
    ("BR_CPF", "cadastro [529.982.247-25]", "versão 529.982.247", "cadastro 529.982.247-26"),
    ("IN_AADHAAR", "record [2341 2341 2346]", "rows 1341 2341 2346", "record 2341 2341 2345"),
    ("CN_ID", "编号[110101199003074514]", "编号110101199003", "编号110101199003074515"),
    ("CN_USCC", "代码[91350100M000100Y43]", "批次91350100M000", "代码91350100M000100Y44"),
    ("NL_BSN", "BSN: [111222333]", "rij 111222333", "BSN of the person on file here: 111222334"),
    ("BE_NN", "dossier [85.07.30-033.28]", "section 85.07.30-033", "dossier 85.07.30-033.29"),
    ("CH_AHV", "Dossier [756.9217.0769.85]", "Artikel 756.9217", "Dossier 756.9217.0769.84"),
    ("AT_VNR", "SV-Nummer [1237 010180]", "Zeile 1237 010180", "SV-Nummer, laut der Akte vorne: 1238 010180"),
    ("PL_PESEL", "PESEL [44051401359]", "wiersz 44051401359", "PESEL of the person on file here: 44051401358"),
    ("SE_PERSONNUMMER", "personnummer [880320-0016]", "rad 880320-0016", "personnummer, som i akten ovan: 880320-0018"),
    ("DK_CPR", "CPR [211062-5629]", "linje 211062-5629", "CPR of the person on file here: 511062-5629"),
    ("NO_FNR", "fødselsnummer [151086 95088]", "linje 151086 95088", "fødselsnummer, som i mappen over: 151086 95077"),
    ("FI_HETU", "asia [131052-308T]", "rivi 131052-308", "asia 131052-308U"),
    ("PT_NIF", "NIF [268 999 999]", "linha 268 999 999", "NIF of the person on file here: 268 999 998"),
    ("CA_SIN", "SIN [123-456-782]", "line 123-456-782", "SIN of the person on file here: 123-456-781"),
    ("MX_CURP", "expediente [BOXW310820HNERXN09]", "modelo BOXW310820", "expediente BOXW310820HNERXN08"),
    ("KR_RRN", "기록 [971013-9019902]", "줄 971013-901", "기록 971013-9019903"),
    ("TR_ID", "TC kimlik no: [17291716060]", "satır 17291716060", "kimlik no, yukarıdaki kişinin dosyası: 17291716050"),
    ("UK_NHS", "NHS number [943 476 5870]", "row 943 476 5870", "NHS, see the person's file here: 943 476 5871"),
    ("CZ_RC", "rodné číslo: [710319/2745]", "strana 710319/2745", "rodné číslo, viz spis té osoby: 710319/2746"),
    ("HR_OIB", "OIB [33392005961]", "redak 33392005961", "OIB, vidi spis te osobe ovdje: 33392005962"),
    ("SI_EMSO", "EMŠO: [0101006500006]", "vrstica 0101006500006", ""),
    ("BG_EGN", "ЕГН [7523169263]", "ред 7523169263", ""),
    ("RO_CNP", "CNP [1630615123457]", "rândul 1630615123457", ""),
    ("EE_IK", "isikukood [37605030299]", "rida 37605030299", ""),
    ("LT_AK", "asmens kodas [33309240064]", "eilutė 33309240064", ""),
    ("IS_KT", "kennitala [450401-3150]", "lína 450401-3150", ""),
    ("IE_PPS", "PPS No [6433435F]", "part 6433435F", ""),
    ("GR_AFM", "ΑΦΜ [094259216]", "σειρά 094259216", ""),
    ("RU_INN", "ИНН [500100732259]", "строка 500100732259", ""),
    ("AU_TFN", "TFN [123 456 782]", "row 123 456 782", "TFN, see the file of the person: 123 456 783"),
    ("MX_RFC", "RFC: [VECJ880326XXX]", "modelo VECJ880326XXX", ""),
    ("PASSPORT", "passport number [532190436].", "Passport.js 0.6.0 is a passport strategy", ""),
    ("DRIVER_LICENSE", "driver's license number is [F162823540116]", "the driver version 12.4", ""),
    ("DATE_OF_BIRTH", "born on [12 March 1981] in", "a star was born", ""),
    ("DATE_OF_BIRTH", "出生日期：[1990年3月7日]", "出生率上升", ""),
    ("ADDRESS", "at [221 Main Street, Springfield, IL 62704] now", "3 New Place holders", ""),
    ("ADDRESS", "wohnt [Lindenstraße 12a, 50667 Köln].", "Kapitel 12, 50667 Zeilen", ""),
    ("ADDRESS", "[12 rue de la Paix, 75002 Paris]", "via HTTP 404", ""),
    ("ADDRESS", "住址：[江苏省苏州市姑苏区人民路12号3室]", "高速公路12号线", ""),
    ("IP", "client [84.17.52.9]", "section 4.2.1.3 and 127.0.0.1", "client 84.17.52.999"),
    ("IP", "host at [192.168.10.25]", "the range 192.168.0.0/16", ""),
    ("IP", "peer [fd12:3456:789a::1]", "std::string and 2001:db8::1", ""),
    ("MAC", "device [00:1A:2B:3C:4D:5E]", "ff:ff:ff:ff:ff:ff", ""),
    ("HOST", "on [db01.prod.internal] now", "from foo.internal import bar", ""),
    ("AGE", "a [43]-year-old engineer", "a timeout of 43 seconds", "a 430-year-old bridge"),
    ("DATE", "on [2019-03-04] they met", "version 2019.3", ""),
    ("URL", "see [https://jane-roe.net/cv] for it", "see https://docs.example.com/cv", ""),
    ("CUSTOMER_NUMBER", "customer [KD-123456]", "customer kd-123456", ""),
]


def found(text: str, redactor: Redactor = DEFAULT) -> list[tuple[str, str]]:
    return [(kind, text[start:end]) for kind, start, end in redactor.scan(text, by_context=True)]


@pytest.mark.req("D5.2", "D5.4", "D5.5")
@pytest.mark.parametrize(("kind", "text", "look_alike", "broken"), CASES)
def test_a_value_goes_and_its_look_alikes_stay(kind: str, text: str, look_alike: str, broken: str) -> None:
    redactor = ALL if kind in OPTIONAL_KINDS else DEFAULT
    value = text[text.index("[") + 1 : text.index("]")]
    assert found(text.replace("[", "").replace("]", ""), redactor) == [(kind, value)]
    assert found(look_alike, redactor) == []
    assert found(broken, redactor) == []


def test_every_kind_has_a_case() -> None:
    assert {*KINDS, *OPTIONAL_KINDS} - {kind for kind, *_ in CASES} == {"NATIONALITY"}  # test_names.py shows that one


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("身份证号110101199003074515", "110101199003074515"),
        ("Steuer-ID 86 095 742 718", "86 095 742 718"),
        ("BSN: 111222334", "111222334"),
        ("PESEL: 44051401358", "44051401358"),
    ],
)
def test_a_mistyped_number_goes_where_the_word_before_says_what_it_is(text: str, value: str) -> None:
    assert [found_value for _, found_value in found(text)] == [value]
