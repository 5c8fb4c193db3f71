"""What a person sees of a change."""

import pytest

from kprep.cli.explaining import show_change


@pytest.mark.req("D4.15")
def test_a_change_shows_its_line_breaks_and_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    show_change(["one\ntwo"], ["one two"])
    assert capsys.readouterr().out == "  - one ⏎ two\n  + one two\n"
    show_change(["x" * 400 + " ends here"], ["x" * 400])
    gone, stays = capsys.readouterr().out.splitlines()
    assert gone == f"  - … {'x' * 60} ends here"
    assert stays == f"  + … {'x' * 60}"
