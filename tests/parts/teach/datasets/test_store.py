from pathlib import Path

import pytest

from vitcam.errors import UsageError, VitcamError
from vitcam.model import bundle
from vitcam.model.files import DEFAULT, find_model
from vitcam.parts.teach.datasets import store
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.datasets.teachable import MOST_LABELS

JPEG = b"\xff\xd8 a picture \xff\xd9"


@pytest.fixture
def data_sets(tmp_path: Path) -> DataSets:
    found = DataSets(tmp_path, 10.0)
    for label, picture in (("Mia", "a-001.jpg"), ("Mia", "a-002.jpg"), ("nothing special", "b-001.jpg")):
        found.add("mine", label, picture, JPEG, whole=JPEG if label == "Mia" else None)
    return found


def test_pictures_are_kept_as_a_folder_of_labels_and_whole_frames_are_not_among_them(
    data_sets: DataSets, tmp_path: Path
) -> None:
    (mine,) = data_sets.all()

    assert (mine.name, mine.labels) == ("mine", {"Mia": 2, "nothing special": 1})
    assert mine.bytes == 5 * len(JPEG)
    assert data_sets.pictures("mine", "Mia") == ["a-001.jpg", "a-002.jpg"]
    assert (tmp_path / "datasets" / "mine" / "Mia" / "a-001.jpg").read_bytes() == JPEG
    assert data_sets.picture("mine", "Mia", "a-001.jpg").stat().st_mode & 0o077 == 0


def test_a_picture_moves_to_another_label_with_its_whole_frame(data_sets: DataSets, tmp_path: Path) -> None:
    data_sets.rename("mine", "Mia", "a-001.jpg", "Leo")

    assert data_sets.all()[0].labels == {"Leo": 1, "Mia": 1, "nothing special": 1}
    assert (tmp_path / "datasets" / "mine" / ".whole" / "Leo" / "a-001.jpg").exists()
    assert not (tmp_path / "datasets" / "mine" / ".whole" / "Mia" / "a-001.jpg").exists()


def test_a_picture_that_moves_over_one_of_its_name_gets_another_number_and_none_is_lost(
    data_sets: DataSets, tmp_path: Path
) -> None:
    for label in ("cat", "dog"):
        for number in (1, 2):
            jpeg = JPEG + f"{label}{number}".encode()
            data_sets.add("mine", label, f"IMG_20240101-{number}.jpg", jpeg, whole=jpeg + b" whole")
        data_sets.add("mine", label, "01JA.jpg", label.encode())

    for picture in data_sets.pictures("mine", "dog"):
        data_sets.rename("mine", "dog", picture, "cat")

    folder = tmp_path / "datasets" / "mine"
    pairs = {path.name: path.read_bytes() for path in (folder / "cat").iterdir()}
    wholes = {path.name: path.read_bytes() for path in (folder / ".whole" / "cat").iterdir()}
    assert sorted(pairs) == [
        "01JA-001.jpg", "01JA.jpg",
        "IMG_20240101-003.jpg", "IMG_20240101-004.jpg", "IMG_20240101-1.jpg", "IMG_20240101-2.jpg",
    ]  # fmt: skip
    assert len(set(pairs.values())) == 6
    assert wholes == {name: jpeg + b" whole" for name, jpeg in pairs.items() if "IMG" in name}
    assert not (folder / "dog").exists()


def test_a_picture_never_replaces_another_one_of_its_name(data_sets: DataSets, tmp_path: Path) -> None:
    data_sets.add("mine", "Mia", "a-001.jpg", JPEG)
    with pytest.raises(UsageError, match=r"has another picture a-001\.jpg of 'Mia'"):
        data_sets.add("mine", "Mia", "a-001.jpg", b"another", whole=b"another")

    assert data_sets.picture("mine", "Mia", "a-001.jpg").read_bytes() == JPEG
    assert (tmp_path / "datasets" / "mine" / ".whole" / "Mia" / "a-001.jpg").read_bytes() == JPEG


def test_what_is_deleted_is_gone_with_its_whole_frame(data_sets: DataSets, tmp_path: Path) -> None:
    data_sets.delete("mine", "Mia", "a-001.jpg")
    one_less = data_sets.all()[0].labels
    data_sets.delete("mine", "Mia")
    label_less = data_sets.all()[0].labels
    data_sets.delete("mine")

    assert (one_less, label_less) == ({"Mia": 1, "nothing special": 1}, {"nothing special": 1})
    assert data_sets.all() == []
    assert [*(tmp_path / "datasets").iterdir()] == []


def test_no_more_is_kept_than_there_is_room_for_and_deleting_makes_room_and_renaming_needs_none(tmp_path: Path) -> None:
    data_sets = DataSets(tmp_path, 1.0)
    data_sets.add("mine", "cup", "a-001.jpg", bytes(2**20))

    with pytest.raises(UsageError, match="max_mb"):
        data_sets.add("mine", "cup", "a-002.jpg", JPEG)
    data_sets.rename("mine", "cup", "a-001.jpg", "mug")
    data_sets.delete("mine", "mug", "a-001.jpg")
    data_sets.add("mine", "cup", "a-002.jpg", JPEG)

    assert data_sets.pictures("mine", "cup") == ["a-002.jpg"]


@pytest.mark.parametrize(
    ("name", "label", "picture"),
    [
        ("..", "cup", "a-001.jpg"),
        ("../etc", "cup", "a-001.jpg"),
        ("", "cup", "a-001.jpg"),
        ("mine", "..", "a-001.jpg"),
        ("mine", "../../other", "a-001.jpg"),
        ("mine", ".whole", "a-001.jpg"),
        ("mine", "a\nb", "a-001.jpg"),
        ("mine", " ", "a-001.jpg"),
        ("mine", "x" * 61, "a-001.jpg"),
        ("mine", "Unknown", "a-001.jpg"),
        ("mine", "none of these", "a-001.jpg"),
        ("mine", "cup", "../a-001.jpg"),
        ("mine", "cup", ".a-001.jpg"),
        ("mine", "cup", "a-001.png"),
    ],
)
def test_a_name_that_leads_elsewhere_or_cannot_be_taught_is_refused(
    tmp_path: Path, name: str, label: str, picture: str
) -> None:
    data_sets = DataSets(tmp_path, 10.0)

    for act in (
        lambda: data_sets.add(name, label, picture, JPEG),
        lambda: data_sets.picture(name, label, picture),
    ):
        with pytest.raises(UsageError):
            act()

    assert [*tmp_path.iterdir()] == []


def test_a_link_among_the_pictures_leads_nowhere(data_sets: DataSets, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "datasets" / "mine" / "Mia" / "c-001.jpg").symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError):
        data_sets.picture("mine", "Mia", "c-001.jpg")


def test_a_folder_that_cannot_be_written_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "datasets").write_text("in the way")

    with pytest.raises(VitcamError, match="cannot be"):
        DataSets(tmp_path, 10.0).add("mine", "cup", "a-001.jpg", JPEG)


def test_accents_in_both_spellings_are_one_label(tmp_path: Path) -> None:
    data_sets = DataSets(tmp_path, 10.0)
    data_sets.add("mine", "café", "a-001.jpg", JPEG)
    data_sets.add("mine", "cafe\u0301", "a-002.jpg", JPEG)

    assert data_sets.all()[0].labels == {"café": 2}


def test_a_label_that_differs_from_another_in_case_only_is_refused(data_sets: DataSets) -> None:
    with pytest.raises(UsageError, match="'Mia' already"):
        data_sets.add("mine", "mia", "c-001.jpg", JPEG)


def test_no_more_labels_and_pictures_are_kept_than_can_be_taught(
    data_sets: DataSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_LABELS", 2)
    with pytest.raises(UsageError, match="2 labels"):
        data_sets.add("mine", "cup", "c-001.jpg", JPEG)

    monkeypatch.setattr(store, "MOST_PHOTOS", 3)
    with pytest.raises(UsageError, match="3 pictures"):
        data_sets.add("mine", "Mia", "c-001.jpg", JPEG)


def test_as_many_labels_may_be_collected_as_the_default_model_has_room_for() -> None:
    base = bundle.read(find_model(DEFAULT))

    assert base is not None
    assert base.card.row_capacity - 1 == MOST_LABELS
