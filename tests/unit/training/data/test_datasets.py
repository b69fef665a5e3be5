from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need_data
from tests.unit.training.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample, data_root
from vitcam_training.data.folder import lay_out
from vitcam_training.data.near_duplicates import thumbnails
from vitcam_training.data.published.cifar10 import LABELS
from vitcam_training.data.published.everyday import everyday, label_of, listed, photos
from vitcam_training.data.published.everyday_split import split
from vitcam_training.data.published.imagenet import synsets, table


def test_an_unknown_name_is_refused_as_neither_data_set_nor_folder() -> None:
    with pytest.raises(UsageError, match="no data set and no folder is called 'everydya'"):
        open_dataset("everydya")


def test_a_part_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    found = open_dataset(str(write_pictures(tmp_path)))

    with pytest.raises(UsageError, match="no photos in a part 'test'; allowed: train, calibration, heldout, all"):
        found.part("test")


def test_data_that_is_missing_is_answered_with_where_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VITCAM_DATA", str(tmp_path))

    for name in ("everyday", "imagenet", "cifar10-photos", "everyday-unknown"):
        with pytest.raises(UsageError, match=r"no data at .*: get it from .* in VITCAM_DATA"):
            open_dataset(name)


def test_without_vitcam_data_the_data_sets_are_in_the_users_folder_of_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VITCAM_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/photos")

    assert data_root() == Path("/photos/vitcam")


def test_a_user_without_a_home_is_asked_for_vitcam_data(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VITCAM_DATA", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(UsageError, match="no folder of data sets is known; name one in VITCAM_DATA"):
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


def test_folder_names_become_labels_that_people_use() -> None:
    assert label_of("caltech101/Faces_easy/image_0001.jpg") == label_of("caltech101/Faces/image_0001.jpg") == "face"
    assert label_of("flowers/val/sunflowers/1.jpg") == label_of("caltech101/sunflower/image_0001.jpg") == "sunflower"
    assert label_of("caltech101/water_lilly/image_0001.jpg") == "water lily"
    assert label_of("caltech101/electric_guitar/image_0001.jpg") == "electric guitar"


def test_the_committed_split_holds_ten_photos_of_each_of_104_labels() -> None:
    held_out = Counter(label_of(path) for path in listed("heldout"))
    calibration = Counter(label_of(path) for path in listed("calibration"))

    assert len(held_out) == len(calibration) == 104
    assert set(held_out.values()) == {10}
    assert set(calibration.values()) == {2}


def test_no_photo_is_in_two_lists_of_the_committed_split() -> None:
    paths = [path for part in ("heldout", "calibration", "duplicates") for path in listed(part)]

    assert len(paths) == len(set(paths))


def test_the_committed_split_is_the_one_that_the_code_makes() -> None:
    root = need_data("caltech101").parent
    need_data("flowers")

    assert split(root) == {part: listed(part) for part in ("heldout", "calibration", "duplicates")}


def test_no_held_out_photo_has_a_near_duplicate_among_those_trained_on() -> None:
    root = need_data("caltech101").parent
    found = everyday()
    held_out = thumbnails([sample.path for sample in found.parts["heldout"]])
    trained = thumbnails([sample.path for sample in found.parts["train"]])

    assert len(found.parts["train"]) + 1040 + 208 + len(listed("duplicates")) == len(photos(root))
    assert np.max(held_out @ trained.T) <= 0.96


def test_two_hundred_and_thirteen_classes_are_clearly_one_of_the_ten_words_of_cifar() -> None:
    count = Counter(table("cifar10_photos").values())

    assert sum(count.values()) == 213
    assert set(count) == set(LABELS) - {"deer"}
    assert (count["dog"], count["bird"], count["cat"], count["frog"]) == (118, 59, 5, 3)


def test_what_is_left_out_of_the_unknown_names_a_label_of_everyday_each() -> None:
    labels = {label_of(path) for path in listed("heldout")}

    assert len(table("everyday_in_imagenet")) == 180
    assert set(table("everyday_in_imagenet").values()) <= labels


def test_photos_of_cifars_words_and_of_none_of_everydays_are_found_among_the_samples() -> None:
    need_data("imagenet_samples")
    need_data("deit_tiny")
    photos, unknown = open_dataset("cifar10-photos"), open_dataset("everyday-unknown")
    known = {sample.path.name.split("_")[0] for sample in unknown.part("heldout")} & set(table("everyday_in_imagenet"))

    assert (len(photos.part("heldout")), photos.labels) == (213, LABELS)
    assert {photos.labels[s.label] for s in photos.part("heldout") if "tabby" in s.path.name} == {"cat"}
    assert len(unknown.part("heldout")) == 820
    assert known == set()


def test_choices_are_made_on_held_out_photos_only_where_there_are_no_others() -> None:
    some = (Sample(Path("a.jpg"), 0),)
    named = [("train", "heldout", *more) for more in (("calibration", "choose"), ("calibration",), ())]
    found = [Dataset("cups", ("cup",), dict.fromkeys(names, some)) for names in named]

    assert [dataset.choosing for dataset in found] == ["choose", "calibration", "heldout"]
