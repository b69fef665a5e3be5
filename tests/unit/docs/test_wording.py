"""The warnings about words find what they are for, and leave the rest."""

import ast

from tests.wording import long_sentences, parameters, phrases, twins, wide_lines

LONG = " ".join(f"word{number}" for number in range(36))


def test_a_phrase_is_found_with_its_line_and_what_to_write() -> None:
    assert list(phrases({"page.md": "One.\nIt begins anew.\n"})) == ["page.md:2: 'anew'; better: again"]


def test_a_class_that_two_modules_have_is_found() -> None:
    trees = {"a.py": ast.parse("class Frame: ..."), "b.py": ast.parse("class _Frame: ...\nclass Other: ...")}

    assert list(twins(trees)) == ["a.py:1: class Frame is also in b.py:1"]


def test_a_parameter_that_says_nothing_is_found() -> None:
    assert list(parameters({"a.py": ast.parse("def size(of, width): ...")})) == ["a.py:1: a parameter is called of"]


def test_a_long_sentence_is_found_in_a_paragraph_and_in_a_table() -> None:
    page = f"# {LONG}\n\nShort. vitcam\n{LONG}.\nShort.\n\n| {LONG} | short |\n\n```text\n{LONG}\n```\n"

    assert [found.split(": ")[0] for found in long_sentences(page, "p.md")] == ["p.md:3", "p.md:7"]


def test_sentences_that_are_short_one_by_one_are_not_long_together() -> None:
    assert not list(long_sentences("Read this. vitcam does it. [a.md](a.md) says `why`. " * 12, "p.md"))


def test_a_wide_line_is_found_where_it_can_be_wrapped() -> None:
    page = f"{LONG}\n| {LONG} |\n```text\n{LONG}\n```\n"

    assert [found.split(": ")[0] for found in wide_lines(page, "p.md")] == ["p.md:1"]
