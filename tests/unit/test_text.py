"""What others named is shown as it is, except where it cannot be written or would steer a terminal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitcam.text import printable, printable_lines, readable


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("caf\u00e9.jpg", "caf\u00e9.jpg"),
        ("a\udcff.jpg", "a\\xff.jpg"),
        ("\udcc3\udca9.jpg", "\u00e9.jpg"),  # UTF-8 that an ASCII locale took to pieces
        ("a\ud800b", "a\\ud800b"),
    ],
)
def test_a_byte_that_is_no_text_is_named_by_its_number(name: str, expected: str) -> None:
    assert readable(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[2Jb", "a\\u001b[2Jb"),
        ("a\x9bb\x7f", "a\\u009bb\\u007f"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("a\nb\rc", "a\\u000ab\\u000dc"),
        ("a\udcff\x1b", "a\\xff\\u001b"),
        ("Müll 猫 █", "Müll 猫 █"),
    ],
)
def test_what_steers_a_terminal_is_named_by_its_number(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_our_own_line_breaks_stay() -> None:
    assert printable_lines("a\n\tb\x1b\n") == "a\n\tb\\u001b\n"


@given(st.text(st.characters(codec=None)))
def test_every_text_can_be_written_and_is_the_same_when_it_is_made_safe_twice(text: str) -> None:
    said = printable(text)

    assert said.encode().decode() == said
    assert not any(ord(letter) < 32 for letter in said)
    assert printable(said) == said


@given(st.text())
def test_json_stays_valid_and_keeps_its_meaning(text: str) -> None:
    assert json.loads(printable(json.dumps(text, ensure_ascii=False))) == text
