"""What is found as personal data, and the look-alikes that are not."""

import pytest

from redaction import RedactionPolicy, Redactor

REDACTOR = Redactor(RedactionPolicy(), b"0123456789abcdef", "acme")


def found(text: str) -> list[tuple[str, str]]:
    return [(kind, text[start:end]) for kind, start, end in REDACTOR.scan(text, by_context=True)]


@pytest.mark.parametrize(
    "text",
    [
        "at 12:30:44 555 1234 items, ratio 3:555-123-4567",
        "cols=80,100-200 sum=2000 3000 ports:8080-8090",
        "mem: 0x030-1234567 sha:0301234567 890",
        "00:1B:44:11:3A:B7:22",
        "trace 110bcd25-a55d-453a-8046-1297901ea002",
        "id 11011025-4111-4111-8111-111111111111",
        "ticket INC0012345678",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "Part number 601-220-4410 fits",
        "Phone booths were replaced in 1998 2004 2010.",
        "Call the function with 1024 2048 4096 8192 as sizes.",
        "The contact angles 110 115 120 125 were measured.",
        "ISBN 978-3-16-148410-0",
        "6033391\n6058722",
        "03/22 08:51:06 INFO :...read_physical_netif: index #1, interface TR1 has address 9.22.22.222",
        "Upgrade to 10.0.0.1",
        "bind to 0.0.0.0 or 127.0.0.1 or ::1",
        "nameserver 8.8.8.8 and 1.1.1.1",
        "section 4.2.1.3 and version 10.1.2.3",
        "the b:: fragment, std::string, 12:30:45",
        "documentation uses 192.0.2.7, 203.0.113.9 and 2001:db8::1",
        "the private ranges 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16",
        "mask 255.255.255.0, metadata at 169.254.169.254",
        "1234-5678-1234-5678",
        "user@example.com, a@docs.example.org",
        "git@github.com:acme/pump.git",
        "npm install react@18.2.0 lodash@4.17.21",
        "```python\n@dlt.resource(name='x')",
        "2024-01-02 10:11:12,345 took 1700000000000 ns",
        "figures 1,234,567.89 and 12 345 678",
        "from foo.internal import bar",
        "patent application number WO 95/10767",
        "callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory",
        "| 5 000 | 008200000 | 000000294 |",
        "12345678A is no valid letter",
        "ff:ff:ff:ff:ff:ff",
        "Passport.js 0.6.0 is a passport strategy 2",
        "born in 1990 and released 2024-01-02",
        "the service account number of retries is 123456",
        "AWS account number 123456789012",
        "10 Quick Start Steps, 3 New Place holders",
        "Chapter 5, 12345 Rows",
        "geb. 12",
        "The address is 3 times faster than 10 others",
        "it lives at 5 Layers and 12 heads",
        "the test Suite 12 has 3 cases in Suite 4",
        "located at Level 3",
        "Via HTTP 404 and via Port 8080",
        "高速公路12号线",
    ],
)
def test_look_alikes_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.req("D5.2", "D5.4", "D5.5")
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("EMAIL", "write to Alex.Smith+x@gmail.com.", "Alex.Smith+x@gmail.com"),
        ("EMAIL", "anna@müller.de", "anna@müller.de"),
        ("EMAIL", "?to=jane%40acme.de&x=1", "jane%40acme.de"),
        ("EMAIL", "jane [at] acme.de", "jane [at] acme.de"),
        ("EMAIL", "to jane [dot] roe [at] acme (dot) de.", "jane [dot] roe [at] acme (dot) de"),
        ("EMAIL", "jane@\nacme.de", "jane@\nacme.de"),
        ("EMAIL", "jane@acme.\ncom", "jane@acme.\ncom"),
        ("EMAIL", "邮箱zhang.wei@qq.com请回复", "zhang.wei@qq.com"),
        ("PHONE", "call 0151 2345 6789 now", "0151 2345 6789"),
        ("PASSPORT", "Reisepass-Nr. C01X00T47", "C01X00T47"),
        ("PASSPORT", "Personalausweisnummer T22000129", "T22000129"),
        ("DRIVER_LICENSE", "driving licence: MORGA657054SM9IJ", "MORGA657054SM9IJ"),
        ("DATE_OF_BIRTH", "D.O.B.: 12-Mar-1984", "12-Mar-1984"),
        ("DATE_OF_BIRTH", "data urodzenia: 12.03.1984", "12.03.1984"),
        ("PHONE", "call +49 30 12345678 now", "+49 30 12345678"),
        ("PHONE", "+1 (555) 123-4567", "+1 (555) 123-4567"),
        ("PHONE", "0049 30 12345678", "0049 30 12345678"),
        ("PHONE", "Tel. 0176 12345678", "0176 12345678"),
        ("PHONE", "phone: 5403926876", "5403926876"),
        ("PHONE", "415-555-2671", "415-555-2671"),
        ("PHONE", "+44 20 7946\n0958", "+44 20 7946\n0958"),
        ("PHONE", "手机13812345678。", "13812345678"),
        ("CREDIT_CARD", "4111 1111 1111 1111", "4111 1111 1111 1111"),
        ("CREDIT_CARD", "4111 1111\n1111 1111", "4111 1111\n1111 1111"),
        ("CREDIT_CARD", "41111111\n11111111", "41111111\n11111111"),
        ("CREDIT_CARD", "card 4151 3217 6243 3448.com that overlaps", "4151 3217 6243 3448"),
        ("CREDIT_CARD", "3782 822463 10005", "3782 822463 10005"),
        ("IBAN", "DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
        ("IBAN", "gb82west12345698765432", "gb82west12345698765432"),
        ("US_SSN", "123-45-6789", "123-45-6789"),
        ("US_SSN", "SSN 123 45 6789", "123 45 6789"),
        ("UK_NINO", "AB 12 34 56 C", "AB 12 34 56 C"),
        ("CN_ID", "编号11010119900307451X", None),
        ("CN_ID", "身份证号11010119900307451X", "11010119900307451X"),
        ("CN_ID", "身份证号32050619580412263X，联系", "32050619580412263X"),
        ("CN_ID", "返聘顾问，32050619580412263X", "32050619580412263X"),
        ("CN_USCC", "统一社会信用代码：91350100M000100Y43", "91350100M000100Y43"),
        ("DE_TAX_ID", "Steuer-ID: 86 095 742 718", "86 095 742 718"),
        ("FR_NIR", "n° de sécurité sociale : 1 85 05 78 006 084 92", "1 85 05 78 006 084 92"),
        ("IT_FISCAL_CODE", "codice fiscale RSSMRA85T99A562X", "RSSMRA85T99A562X"),
        ("BR_CPF", "CPF: 529.982.247-26", "529.982.247-26"),
        ("IN_AADHAAR", "Aadhaar: 2341 2341 2345", "2341 2341 2345"),
        ("ES_ID", "DNI: 12345678A", "12345678A"),
        ("PASSPORT", "Passport No: C01X00T47", "C01X00T47"),
        ("PASSPORT", "passport number 532190436.", "532190436"),
        ("PASSPORT", "Reisepassnummer: C4VK71234", "C4VK71234"),
        ("PASSPORT", "护照号码：E12345678", "E12345678"),
        ("DRIVER_LICENSE", "driver's license number is F162823540116", "F162823540116"),
        ("ADDRESS", "Anna lives at 93 Koskikatu 25 now", "93 Koskikatu 25"),
        (
            "ADDRESS",
            "x 41086 Kiannonkatu 98\n Suite 464\n Oulu\n Finland 80812 y",
            "41086 Kiannonkatu 98\n Suite 464\n Oulu\n Finland 80812",
        ),
        ("ADDRESS", "PSC 3294, Box 9168\nAPO AA 61487", "PSC 3294, Box 9168\nAPO AA 61487"),
        ("DATE_OF_BIRTH", "born on 12 March 1981 in", "12 March 1981"),
        ("DATE_OF_BIRTH", "Geburtsdatum: 03.04.1977", "03.04.1977"),
        ("DATE_OF_BIRTH", "geboren am 3. April 1977", "3. April 1977"),
        ("DATE_OF_BIRTH", "出生日期：1990年3月7日", "1990年3月7日"),
        ("DATE_OF_BIRTH", "1990年3月7日出生", "1990年3月7日"),
        ("DATE_OF_BIRTH", "DOB 1980-02-29", "1980-02-29"),
        ("DATE_OF_BIRTH", "née le 3 août 1984", "3 août 1984"),
        ("BANK_ACCOUNT", "account number 12345678", "12345678"),
        ("BANK_ACCOUNT", "Kontonummer: 1234567890", "1234567890"),
        ("BANK_ACCOUNT", "sort code 20-00-00", "20-00-00"),
        ("BANK_ACCOUNT", "账号：6222 0012 3456 7890 12", "6222 0012 3456 7890 12"),
        ("ADDRESS", "wohnt Lindenstraße 12a, 50667 Köln.", "Lindenstraße 12a, 50667 Köln"),
        ("ADDRESS", "Am Alten Markt 5, 50667 Köln", "Am Alten Markt 5, 50667 Köln"),
        ("ADDRESS", "at 221 Main Street, Springfield, IL 62704 now", "221 Main Street, Springfield, IL 62704"),
        ("ADDRESS", "10 Downing Street, London SW1A 2AA", "10 Downing Street, London SW1A 2AA"),
        ("ADDRESS", "12 rue de la Paix, 75002 Paris", "12 rue de la Paix, 75002 Paris"),
        ("ADDRESS", "住址：江苏省苏州市姑苏区人民路12号3室", "江苏省苏州市姑苏区人民路12号3室"),
        ("ADDRESS", "Calle de Alcalá 45, 28014 Madrid", "Calle de Alcalá 45, 28014 Madrid"),
        ("CN_ID", "身份证号110101199003074514", "110101199003074514"),
        ("DE_TAX_ID", "Steuer-ID 86 095 742 719", "86 095 742 719"),
        ("FR_NIR", "1 85 05 78 006 084 91", "1 85 05 78 006 084 91"),
        ("ES_ID", "DNI 12345678Z", "12345678Z"),
        ("IT_FISCAL_CODE", "RSSMRA85T10A562S", "RSSMRA85T10A562S"),
        ("BR_CPF", "529.982.247-25", "529.982.247-25"),
        ("IN_AADHAAR", "Aadhaar 2341 2341 2346", "2341 2341 2346"),
        ("IP", "client 84.17.52.9", "84.17.52.9"),
        ("IP", "host at 192.168.10.25/24", "192.168.10.25"),
        ("IP", "fd12:3456:789a::1", "fd12:3456:789a::1"),
        ("MAC", "00:1A:2B:3C:4D:5E", "00:1A:2B:3C:4D:5E"),
        ("HOST", "https://db01.prod.internal/x", "db01.prod.internal"),
        ("AT_VNR", "SVNR 1237010180", "1237010180"),
        # With the label right before the number, without a space between.
        ("PHONE", "电话：010-62345678", "010-62345678"),
        ("PHONE", "电话010-62345678", "010-62345678"),
        ("PHONE", "电话（010）62345678", "（010）62345678"),
        ("PHONE", "Tel:030 1234567", "030 1234567"),
        ("PHONE", "Tel.:030/1234567", "030/1234567"),
        ("PHONE", "<tel:030-1234567>", "030-1234567"),
        ("PHONE", "[chat](https://wa.me/4917612345678)", "4917612345678"),
        ("PHONE", "phone=5551234567", "5551234567"),
        ("PHONE", "Phone:(555) 123-4567", "(555) 123-4567"),
        ("PHONE", "Jane,555-123-4567", "555-123-4567"),
        ("BANK_ACCOUNT", "account_number=12345678901", "12345678901"),
        ("BANK_ACCOUNT", "账号12345678901", "12345678901"),
        ("MAC", "MAC:00:1B:44:11:3A:B7", "00:1B:44:11:3A:B7"),
    ],
)
def test_values_are_found(kind: str, text: str, value: str | None) -> None:
    assert found(text) == ([(kind, value)] if value else [])


def test_every_value_of_a_long_text_is_found() -> None:
    filler = "The pump must be switched off before the valve is opened. " * 18_000
    text = filler + "anna@acme.io " + filler[:200_000] + " card 4111 1111 1111 1111 and zoe@acme.io"
    assert len(text) > 1_200_000
    assert [value for _, value in found(text)] == ["anna@acme.io", "4111 1111 1111 1111", "zoe@acme.io"]


@pytest.mark.parametrize("position", range(99_980, 100_010, 3))
def test_a_value_on_a_window_border_is_found(position: int) -> None:
    redactor = Redactor(RedactionPolicy(presidio=("PlPeselRecognizer",)), b"0123456789abcdef", "acme")
    text = "x " * (position // 2) + " 44051401359 " + "y " * 60_000
    assert ("PL_PESEL", text.index("44"), text.index("44") + 11) in redactor.scan(text, by_context=True)


def test_overlapping_values_become_one_span() -> None:
    policy = RedactionPolicy.load({"patterns": {"CUSTOMER_NUMBER": r"KD-\d{4} \d{4}"}})
    redactor = Redactor(policy, b"0123456789abcdef", "acme")
    text = "KD-4111 1111 1111 1111 x"
    assert redactor.scan(text) == [("CUSTOMER_NUMBER", 0, 12)]  # no card starts inside a customer number
    text = "mail KD-4711 0815@acme.io x"
    assert redactor.scan(text) == [("CUSTOMER_NUMBER", 5, 25)]


def test_allow_rules_keep_values() -> None:
    policy = RedactionPolicy.load(
        {
            "allow": {
                "domains": ["acme.io"],
                "addresses": ["10.1.0.0/16"],
                "patterns": [r"\+49 800 .*"],
                "emails": ["info@*"],
            }
        }
    )
    redactor = Redactor(policy, b"0123456789abcdef", "acme")
    assert redactor.scan("a@acme.io b@x.acme.io 10.1.2.3 info@pump.de +49 800 1234567") == []
    assert [kind for kind, _, _ in redactor.scan("a@example.com 10.2.2.3 +49 30 12345678")] == ["EMAIL", "IP", "PHONE"]


def test_kinds_switched_off_stay() -> None:
    redactor = Redactor(RedactionPolicy.load({"kinds": ["EMAIL"]}), b"0123456789abcdef", "acme")
    assert [kind for kind, _, _ in redactor.scan("a@acme.io +49 30 12345678 10.2.3.4")] == ["EMAIL"]


@pytest.mark.req("D5.2", "D5.4", "D5.5")
@pytest.mark.parametrize(
    ("kind", "before", "value"),
    [
        ("IP", "服务器地址是", "192.168.10.20"),
        ("IP", "地址是", "fd12:3456:789a::1"),
        ("MAC", "网卡是", "00:1B:44:11:3A:B7"),
        ("HOST", "主机是", "db1.corp"),
        ("CREDIT_CARD", "卡号是", "4111111111111111"),
        ("PHONE", "请拨", "+49 30 901820"),
        ("PHONE", "请拨", "010-62345678"),
        ("PHONE", "전화는", "+49 30 901820"),
        ("BANK_ACCOUNT", "账号", "6222021234567890123"),
        ("PASSPORT", "护照号码", "E12345678"),
        ("DRIVER_LICENSE", "驾驶证号", "110105194912310"),
        ("EMAIL", "邮箱", "wang@acme.io"),
    ],
)
def test_a_word_of_a_script_without_spaces_may_touch_a_value(kind: str, before: str, value: str) -> None:
    redactor = Redactor(RedactionPolicy(), b"0123456789abcdef", "t")
    text = f"{before}{value}在这里。"
    start = len(before)
    assert redactor.scan(text, by_context=True) == [(kind, start, start + len(value))]
    assert redactor.scan("固件的版本号是10.2.3.4在这里。", by_context=True) == []
