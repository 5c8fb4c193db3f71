"""The gate sees every corruption of a good release, and lets every harmless edit through.
`python -m benchmarks.mutations` prints which check sees which corruption.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import quality
from quality import run_gate
from quality.spec import Candidate
from tests.fakes.corruptions import CORRUPTIONS
from tests.fakes.edits import EDITS
from tests.fakes.handbook_candidate import candidate_of, handbook
from tests.unit.quality.builder import failed_codes


def test_the_good_candidate_passes_without_a_finding() -> None:
    report = run_gate(candidate_of(handbook(), everything_new=True))
    assert failed_codes(report) == {}


@pytest.mark.req("D9.1", "D9.2", "D9.3", "D9.4", "D9.5", "D9.6", "D9.7", "D9.8", "D9.9", "D9.11", "D9.12")
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corruption_is_seen_by_its_check(name: str) -> None:
    code, make = CORRUPTIONS[name]
    findings = quality.CHECKS[{"text_doubtful": "text_encoding"}.get(code, code)].run(make())
    assert code in {finding.code for finding in findings if not finding.passed}


@pytest.mark.parametrize(("name", "uri"), EDITS)
def test_a_harmless_edit_passes_without_a_finding(name: str, uri: str) -> None:
    make: Callable[[], Candidate] = EDITS[name, uri]
    report = run_gate(make())
    assert failed_codes(report) == {}
    assert report.passed


def test_there_are_sixty_of_each_and_every_check_sees_one() -> None:
    assert len(CORRUPTIONS) >= 60
    assert len(EDITS) >= 60
    assert {code for code, _ in CORRUPTIONS.values()} >= set(quality.CHECKS)
