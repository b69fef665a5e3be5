import hashlib
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer

from vitcam.cli.models import verify
from vitcam.config.settings import ModelSettings
from vitcam.daemon.model import load_model
from vitcam.errors import ModelError
from vitcam.frames import Guess
from vitcam.model import bundle
from vitcam.model.bundle import Golden
from vitcam.model.card import ModelCard
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam.model.golden import Names
from vitcam.model.groups import Groups
from vitcam.pictures.resize import InputSpec

CARD = ModelCard(
    name="tiny",
    description="for tests",
    input=InputSpec(32, 48, "squash", interpolation="linear"),
    outputs={"probabilities": 0},
    patch_size=16,
    grid=(2, 3),
    heads=3,
    layers=1,
    width=8,
    parameters=1234,
    temperature=0.7,
    trained_on=({"data": "noise", "licence": "CC0", "source": "here"},),
    accuracy={"top1": 0.5},
)
FLATBUFFER = b"\x1c\0\0\0TFL3" + bytes(range(256)) * 8


@pytest.fixture
def written(tmp_path: Path) -> Path:
    image = np.random.default_rng(0).integers(0, 256, (32, 48, 3), np.uint8)
    path = tmp_path / "tiny.tflite"
    bundle.write(path, FLATBUFFER, CARD, ["cup", "pagoda – 塔"], [Golden("noise", image, (Guess("cup", 0.75),))])
    return path


def changed(path: Path, **card: object) -> Path:
    """The same file with another description."""
    raw = json.loads(zipfile.ZipFile(path).read("vitcam.json")) | card
    other = path.with_name("changed.tflite")
    other.write_bytes(FLATBUFFER)
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("vitcam.json", json.dumps(raw))
        archive.writestr("labels.txt", "cup\n")
        archive.writestr("golden.json", "[]")
    return other


def test_what_was_written_is_read_back_to_the_last_pixel(written: Path) -> None:
    found = bundle.read(written)

    assert found is not None
    assert found.card == replace(CARD, graph_sha256=hashlib.sha256(FLATBUFFER).hexdigest())
    assert found.labels == ("cup", "pagoda – 塔")
    assert found.golden[0].top == (Guess("cup", 0.75),)
    image = np.random.default_rng(0).integers(0, 256, (32, 48, 3), np.uint8)
    assert (found.golden[0].image == image).all()


def test_the_same_model_makes_the_same_file_at_any_time(written: Path, tmp_path: Path) -> None:
    found = bundle.read(written)
    assert found is not None
    bundle.write(tmp_path / "again.tflite", FLATBUFFER, CARD, list(found.labels), list(found.golden))

    assert (tmp_path / "again.tflite").read_bytes() == written.read_bytes()
    dates = {part.date_time for part in zipfile.ZipFile(written).infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_amending_gives_a_checksum_to_a_file_from_before_there_was_one(written: Path) -> None:
    old = changed(written, graph_sha256="")
    bundle.amend(old, licence="CC0")
    found = bundle.read(old)

    assert found is not None
    assert (found.card.licence, found.card.graph_sha256) == ("CC0", hashlib.sha256(FLATBUFFER).hexdigest())
    assert bundle.flatbuffer(old) == FLATBUFFER


def test_amending_never_gives_a_damaged_graph_a_new_checksum(written: Path) -> None:
    broken = written.read_bytes().replace(bytes(range(256)), bytes(256), 1)
    written.write_bytes(broken)
    with pytest.raises(ModelError, match="is damaged"):
        bundle.amend(written, licence="CC0")

    assert written.read_bytes() == broken


def test_bytes_that_were_read_already_are_described_whatever_the_file_holds_now(written: Path) -> None:
    content = written.read_bytes()
    written.write_bytes(b"something else")
    found = bundle.read(written, content)

    assert found is not None
    assert found.labels == ("cup", "pagoda – 塔")


def test_a_damaged_file_is_named_with_the_beginnings_of_both_checksums(written: Path) -> None:
    content = written.read_bytes()
    card = bundle.read(written)
    written.write_bytes(bytes([content[0] ^ 1]) + content[1:])

    assert card is not None
    with pytest.raises(ModelError) as refused:
        bundle.amend(written, accuracy={})
    assert f"{written} is damaged" in str(refused.value)
    assert f"says {card.card.graph_sha256[:12]}…; copy the file again" in str(refused.value)


def test_the_description_is_text_that_people_can_read_in_the_archive(written: Path) -> None:
    with zipfile.ZipFile(written) as archive:
        text = archive.read("vitcam.json").decode()
        compressed = {part.compress_type for part in archive.infolist()}

    assert len(text.splitlines()) > 20
    assert compressed == {zipfile.ZIP_DEFLATED}


def test_a_file_that_a_daemon_has_mapped_is_replaced_and_never_cut(written: Path) -> None:
    with written.open("rb") as mapped:
        bundle.write(written, FLATBUFFER[:64], CARD, ["cup"], [])

        assert mapped.read().startswith(FLATBUFFER)
    assert list(written.parent.iterdir()) == [written]


def test_a_plain_tflite_file_carries_nothing(tmp_path: Path) -> None:
    plain = tmp_path / "plain.tflite"
    plain.write_bytes(FLATBUFFER)

    assert bundle.read(plain) is None


@pytest.mark.parametrize("content", [b"", b"TFL3", b"PK\x03\x04 a zip and nothing else", b"\x89PNG\r\n\x1a\n" * 20])
def test_what_does_not_begin_like_a_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.tflite"
    path.write_bytes(content)

    with pytest.raises(ModelError, match="not a TFLite model"):
        bundle.read(path)


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ({"schema": 99}, "schema 99"),
        ({"input": {"height": 32, "width": 48, "resize": "stretch"}}, "stretch"),
        ({"input": None}, "cannot be read"),
        ({"input": {"height": 32, "depth": 3}}, "cannot be read"),
    ],
)
def test_a_description_that_cannot_be_meant_is_refused(written: Path, card: dict[str, object], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        bundle.read(changed(written, **card))


def test_a_description_may_say_more_than_this_vitcam_knows(written: Path) -> None:
    found = bundle.read(changed(written, colour="blue"))

    assert found is not None
    assert replace(found.card, graph_sha256="") == CARD


@pytest.mark.parametrize(("name", "images"), [("everyday", 6), ("cifar10", 2), ("cifar10-scratch", 2), ("mnist", 4)])
def test_every_bundled_model_answers_its_golden_images_and_runs_in_one_partition(name: str, images: int) -> None:
    classifier = Classifier(name, threads=1)
    results = classifier.verify()

    assert classifier.card.graph_sha256 == hashlib.sha256(bundle.flatbuffer(classifier.path)).hexdigest()
    assert len([result for result in results if result.expected]) == images
    assert all(result.ok for result in results), results
    assert (classifier.runtime.partitions, classifier.runtime.outside) == (1, 0)
    assert find_model(name).stat().st_size < 12_000_000


def test_a_model_without_golden_images_says_how_it_gets_some(tmp_path: Path) -> None:
    model = tmp_path / "mute.tflite"
    bundle.write(model, *_all_but_golden("mnist"))

    with pytest.raises(ModelError, match=r"vitcam-train export .* --golden"):
        verify(str(model), as_json=False)


def _all_but_golden(name: str) -> tuple[bytes, ModelCard, list[str], list[Golden]]:
    found = bundle.read(find_model(name))
    assert found is not None
    return bundle.flatbuffer(found.path), found.card, list(found.labels), []


def test_golden_images_are_answered_under_the_users_own_names_for_the_labels(tmp_path: Path) -> None:
    own = tmp_path / "labels.txt"
    own.write_text("\n".join(f"thing {i}" for i in range(1048)))
    results = Classifier("everyday", threads=1, labels=own).verify()

    assert all(result.ok for result in results), results
    assert results[0].expected is not None
    assert results[0].expected.label.startswith("thing ")


def with_blank(path: Path, least_contrast: float) -> Path:
    """The digits with two images that must be called unknown."""
    found = bundle.read(find_model("mnist"))
    assert found is not None
    card = replace(found.card, least_contrast=least_contrast, threshold=0.0, least_familiarity=None)
    dark, grey = (Golden(name, np.full((28, 28, 3), v, np.uint8), ()) for name, v in (("dark", 3), ("grey", 128)))
    bundle.write(path, bundle.flatbuffer(found.path), card, list(found.labels), list(found.golden), blank=[dark, grey])
    return path


def test_blank_images_are_read_back_and_must_be_called_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = with_blank(tmp_path / "digits.tflite", 40.0)
    found = bundle.read(model)

    assert found is not None
    assert [(g.name, int(g.image[0, 0, 0]), g.top) for g in found.blank] == [("dark", 3, ()), ("grey", 128, ())]
    verify(str(model), as_json=False)
    assert "ok   grey: unknown, expected unknown" in capsys.readouterr().out
    verify(str(model), as_json=True)
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (record["image"], record["ok"], record["expected"], record["known"]) == ("grey", True, None, False)


def test_a_model_that_calls_a_blank_image_known_fails_its_verification(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = with_blank(tmp_path / "digits.tflite", 0.0)

    with pytest.raises(typer.Exit):
        verify(str(model), as_json=False)
    assert re.search(r"FAIL grey: \d 0\.\d{3}, expected unknown", capsys.readouterr().out)
    with pytest.raises(ModelError, match=r"answers dark with \d 0\.\d+ instead of unknown on this machine"):
        load_model(ModelSettings(name=str(model)))


def test_a_file_from_before_pooling_was_named_has_a_class_token(written: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.tflite"
    old.write_bytes(FLATBUFFER)
    with zipfile.ZipFile(written) as new, zipfile.ZipFile(old, "a") as archive:
        for name in new.namelist():
            content = new.read(name)
            if name == "vitcam.json":
                content = json.dumps({k: v for k, v in json.loads(content).items() if k != "pooling"}).encode()
            archive.writestr(name, content)
    carried = bundle.read(old)

    assert carried is not None
    assert replace(carried.card, graph_sha256="") == CARD
    assert CARD.pooling == "cls_token"


@pytest.mark.parametrize(("said", "true", "right"), [
    ("Labrador", "dog", True), ("dog", "Labrador", True), ("dog", "dog", True), ("animal", "Labrador", True),
    ("poodle", "Labrador", False), ("cat", "dog", False), (None, "dog", False), ("pet", "dog", False),
])  # fmt: skip
def test_a_name_is_true_if_it_is_that_or_one_of_its_kinds_or_a_kind_that_it_belongs_to(
    said: str | None, true: str, right: bool
) -> None:
    labels = ("Labrador", "poodle", "cat")
    names = Names({}, Groups({"dog": (0, 1), "pet": (1, 2), "animal": (0, 1, 2)}, 3), labels)

    assert names.says(said, true) is right


def test_a_golden_image_that_shows_what_the_model_has_no_name_for_is_refused(written: Path) -> None:
    found = bundle.read(written)
    assert found is not None
    bundle.replace_golden(written, [replace(found.golden[0], true="zebra")])

    with pytest.raises(ModelError, match="golden image 0 shows 'zebra', which is neither a label nor a group"):
        bundle.read(written)


def test_the_figure_that_stands_for_a_model_is_the_one_that_was_measured_for_that() -> None:
    own = {"data": "mine", "n": 10, "top1": 0.9}

    assert replace(CARD, accuracy=own).headline == own
    assert replace(CARD, accuracy=own | {"headline": {"top1": 0.8, "n": 7}}).headline == {"top1": 0.8, "n": 7}
    assert replace(CARD, accuracy=own | {"headline": "good"}).headline["top1"] == 0.9
