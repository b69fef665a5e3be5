from pathlib import Path

import pytest

from vitcam.errors import UsageError
from vitcam.look.areas import Areas, Zone
from vitcam.model.labels import read_labels, unknown_labels
from vitcam.pictures.view import Region

ALL = Region(0, 0, 1, 1)


def test_labels_and_groups_that_the_model_knows_are_no_mistake() -> None:
    areas = Areas((Zone("door", ALL, ("cup", "animal", "unknown")), Zone("road", ALL)))

    assert unknown_labels(areas.watched_labels, {"cup", "animal", "dog"}) == []


def test_a_label_with_a_typing_error_is_named_with_what_was_meant() -> None:
    found = unknown_labels(Areas((Zone("door", ALL, ("dgo", "x" * 90)),)).watched_labels, {"cup", "dog"})

    assert found[0] == ("the model knows no label or group 'dgo', which the zone door watches; did you mean 'dog'?")
    assert found[1].endswith("…', which the zone door watches; `vitcam models show NAME` lists what it knows")


def test_a_label_in_other_case_is_no_mistake() -> None:
    assert unknown_labels([("Cat", "the rule lamp is for"), ("UNKNOWN", "a rule is for")], {"hat", "cat"}) == []


def test_what_looks_like_a_label_in_other_case_is_told_as_that_is_written() -> None:
    (found,) = unknown_labels([("LABRADR", "the rule lamp is for")], {"hat", "Labrador"})

    assert "'Labrador'?" in found


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("\ufeffCat\r\nDog\r\n\r\nBird\r\n", ("Cat", "Dog", "Bird")),
        ("Cat\rDog\r", ("Cat", "Dog")),
        ("0 Cat\n1 Dog\n2 black bird\n", ("Cat", "Dog", "black bird")),
        ("\ufeff0  Cat\r\n1  Dog", ("Cat", "Dog")),
        ("0: Cat\n1: Dog\n", ("Cat", "Dog")),
        ("0,Cat\n1,Dog\n", ("Cat", "Dog")),
        ("1 Dog\n0 Cat\n", ("Cat", "Dog")),
        ("0\n1\n2\n", ("0", "1", "2")),
        ("1 euro\n2 euro\n", ("1 euro", "2 euro")),
        ("0 Cat\nDog\n", ("0 Cat", "Dog")),
        ("Caf\u2028e\nBar", ("Caf\u2028e", "Bar")),
    ],
)
def test_labels_are_read_as_windows_and_other_programs_write_them(
    tmp_path: Path, content: str, labels: tuple[str, ...]
) -> None:
    (tmp_path / "labels.txt").write_bytes(content.encode())

    assert read_labels(tmp_path / "labels.txt") == labels


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("Katze\nHündin\n".encode("latin-1"), "line 2 is not in UTF-8; save it as UTF-8"),
        ("Cat\nDog\n".encode("utf-16"), "it is in UTF-16; save it as UTF-8"),
        ("Cat\nDog\n".encode("utf-16-be"), "it is in UTF-16; save it as UTF-8"),
        (b"Cat\n\nDog\nCat\n", "'Cat' twice, on the lines 1 and 4; give each label a name of its own"),
        (b"0 Cat\n1 Cat\n", "'Cat' twice, on the lines 1 and 2"),
    ],
)
def test_labels_that_cannot_be_right_are_refused_with_their_lines(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "labels.txt").write_bytes(data)

    with pytest.raises(UsageError, match=sentence):
        read_labels(tmp_path / "labels.txt")
