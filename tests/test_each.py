"""`each` is a loop that runs all its cases and names those that fail."""

from __future__ import annotations

import logging
import os

import pytest

from tests.each import each


def test_all_cases_run_and_all_that_fail_are_named():
    seen = []

    @each("first", [1, 2, 3])
    @each(("second", "third"), [("a", 0), ("b", 1)], ids=["zero", "one"])
    def test(first, second, third):
        seen.append((first, second))
        assert first != 2 or third == 0
        assert first != 3, second

    with pytest.raises(AssertionError) as error:
        test()
    assert len(seen) == 6
    text = str(error.value)
    assert text.startswith("2 of 3:\n2: 1 of 2: one: assert")
    assert "\n3: 2 of 2: zero: a" in text


def test_a_case_that_is_skipped_hides_no_other():
    @each("number", [1, 2])
    def test(number):
        if number == 1:
            pytest.skip("not here")
        raise ValueError("two")

    with pytest.raises(AssertionError, match="1 of 2:\n2: two"):
        test()


def test_where_all_are_skipped_the_test_is():
    @each("number", [1, 2])
    def test(number):
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="not here"):
        test()


@pytest.fixture
def three():
    return 3


@each("number", range(3))
def test_what_is_no_name_of_a_case_is_a_fixture(three, number):
    assert number < three


@each("number", range(2))
def test_a_case_has_its_own_folder_patches_and_output(tmp_path, monkeypatch, capsys, caplog, number):
    assert not [*tmp_path.iterdir()] and "EACH" not in os.environ and not caplog.records
    monkeypatch.setenv("EACH", "1")
    (tmp_path / "file").touch()
    logging.getLogger("each").warning("said")
    print(number)
    assert capsys.readouterr().out == f"{number}\n"
    print("left behind")
