from collections import Counter
from pathlib import Path

import pytest

from tests.needs import need_data
from tests.refusals import naming
from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample, data_root
from vitcam_training.data.folder import lay_out
from vitcam_training.data.published.cifar10 import LABELS
from vitcam_training.data.published.imagenet import synsets, table


def test_an_unknown_name_is_refused_as_neither_data_set_nor_folder() -> None:
    with pytest.raises(UsageError, match="no data set and no folder is called 'everydya'"):
        open_dataset("everydya")


def test_a_part_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    found = open_dataset(str(write_pictures(tmp_path)))

    with pytest.raises(UsageError, match=naming("part 'test'", "allowed: train, calibration, heldout, all")):
        found.part("test")


def test_data_that_is_missing_is_answered_with_where_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VITCAM_DATA", str(tmp_path))

    for name in ("everyday", "imagenet", "cifar10-photos", "everyday-before", "ordinary"):
        with pytest.raises(UsageError, match=r"no data at .*: get it from .* in VITCAM_DATA"):
            open_dataset(name)


def test_without_vitcam_data_the_data_sets_are_in_the_users_folder_of_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VITCAM_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/photos")

    assert data_root() == Path("/photos/vitcam")


def test_a_user_without_a_home_is_asked_for_vitcam_data(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VITCAM_DATA", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(UsageError, match="VITCAM_DATA"):
        open_dataset("everyday")


def test_a_laid_out_part_reads_back_as_the_same_photos(tmp_path: Path) -> None:
    found = open_dataset(str(write_pictures(tmp_path / "photos", each=30)))
    count = lay_out(found, "heldout", tmp_path / "tree")
    links = sorted((tmp_path / "tree").glob("*/*"))

    assert count == len(links) == len(found.parts["heldout"])
    assert sorted(link.resolve() for link in links) == sorted(s.path.resolve() for s in found.parts["heldout"])
    with pytest.raises(UsageError, match="not an empty folder"):
        lay_out(found, "heldout", tmp_path / "tree")


def test_words_that_name_two_imagenet_classes_carry_their_id(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("n02012849 crane\nn03126707 crane\nn01440764 tench, Tinca tinca\n")

    assert list(synsets(tmp_path / "words.txt").values()) == ["crane (n02012849)", "crane (n03126707)", "tench"]


def test_two_hundred_and_thirteen_classes_are_clearly_one_of_the_ten_words_of_cifar() -> None:
    count = Counter(table("cifar10_photos").values())

    assert sum(count.values()) == 213
    assert set(count) == set(LABELS) - {"deer"}
    assert (count["dog"], count["bird"], count["cat"], count["frog"]) == (118, 59, 5, 3)


def test_photos_of_cifars_words_are_found_among_the_samples() -> None:
    need_data("imagenet_samples")
    need_data("deit_tiny")
    photos = open_dataset("cifar10-photos")

    assert (len(photos.part("heldout")), photos.labels) == (213, LABELS)
    assert {photos.labels[s.label] for s in photos.part("heldout") if "tabby" in s.path.name} == {"cat"}


def test_the_photos_held_out_before_are_ten_of_each_label_or_twenty_where_two_labels_became_one() -> None:
    need_data("caltech101")
    found = open_dataset("everyday-before")
    count = Counter(sample.label for sample in found.parts["heldout"])

    assert sum(count.values()) == 870
    assert {found.labels[label] for label in count if count[label] == 20} == {
        "dinosaur", "chair", "cougar", "crocodile", "flamingo", "sailing ship", "water lily",
    }  # fmt: skip
    assert set(count.values()) == {10, 20}


def test_choices_are_made_on_held_out_photos_only_where_there_are_no_others() -> None:
    some = (Sample(Path("a.jpg"), 0),)
    named = [("train", "heldout", *more) for more in (("calibration", "choose"), ("calibration",), ())]
    found = [Dataset("cups", ("cup",), dict.fromkeys(names, some)) for names in named]

    assert [dataset.choosing for dataset in found] == ["choose", "calibration", "heldout"]
