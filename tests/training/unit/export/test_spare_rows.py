"""Labels that a device adds: from the float graph to a model file that names one."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from numpy.typing import NDArray

from tests.training.unit.exported import expected_outputs, pieces
from tests.training.unit.nets import photos, small_vit
from tests.training.unit.pictures import write_pictures
from vitcam.errors import ModelError, UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.spare_rows import AddedRows, read_by_rows
from vitcam.pictures.resize import InputSpec
from vitcam_training.config import ViTConfig
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.evaluation.model_file import ask_readable
from vitcam_training.export.attribution import evidence_blocks
from vitcam_training.export.export import export_model
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.graph import to_float
from vitcam_training.export.network import TrainedNetwork
from vitcam_training.export.quantise import Quantisation, allow_float16, delegate_input, quantise
from vitcam_training.export.rewrites import ResidualStream, fold
from vitcam_training.export.spare_rows import INPUTS, spare_width
from vitcam_training.export.trial import Trial
from vitcam_training.study import reference
from vitcam_training.weights.checkpoints import Weights, save_weights, to_timm
from vitcam_training.weights.metadata import Metadata

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

PLAIN = ViTConfig(classes=5, image_size=(16, 24), patch_size=8, width=32, depth=3, heads=4)
ROOM = 6
Floats = NDArray[Any]


def given(rows: Floats, offsets: Floats) -> dict[str, Floats]:
    """What the graph takes for these rows, (K, E + 2 D) and (K,)."""
    all_rows = np.zeros((1, ROOM, rows.shape[1]), np.float32)
    all_offsets = np.full((1, ROOM), -1e4, np.float32)
    all_rows[0, : len(rows)], all_offsets[0, : len(rows)] = rows, offsets
    return dict(zip(INPUTS, (all_rows, all_offsets), strict=True))


def run(model: bytes, signature: str, image: NDArray[np.uint8], **more: Floats) -> dict[str, Floats]:
    found = Interpreter(model_content=model).get_signature_runner(signature)(image=image[None], **more)
    return {name: value[0] for name, value in found.items()}


def entering(config: ViTConfig, taps: dict[str, Floats], turned: bool) -> Floats:
    """The tokens that enter the last block, in the axes of the graph, (T, D)."""
    tokens = taps[f"block{config.depth - 2:02}/output"][0]
    return np.asarray(tokens @ ResidualStream.random(config.width).write if turned else tokens)


def expected(
    config: ViTConfig, weights: Weights, image: NDArray[np.uint8], rows: Floats, offsets: Floats, turned: bool
) -> dict[str, Floats]:
    """What the network with further rows says, by `reference.py`."""
    logits, taps = reference.vit(image[None], weights, config)
    tokens = entering(config, taps, turned)
    token, patches = tokens[0], tokens[config.prefix :]
    mean = patches.mean(axis=0)
    further = rows @ np.concatenate([taps["embedding"][0], token, mean]) + offsets
    answer = reference.softmax(np.concatenate([logits[0], further])[None])[0]
    width = config.embedding_width
    probable = answer[config.classes :] @ rows  # (E + 2 D,)
    bigger = weights | {"head.weight": np.concatenate([weights["head.weight"], rows[:, :width]])}
    step = _direction(bigger, taps, config, answer)
    back: Floats = ResidualStream.random(config.width).write.T if turned else np.eye(config.width)
    before = probable[width : width + config.width] @ back
    blocks = range(config.depth - evidence_blocks(config), config.depth)
    written = [
        reference.direct_evidence(taps, weights, config, i, step if i == config.depth - 1 else step + before)
        for i in blocks
    ]
    return {
        "probabilities": answer,
        "embedding": taps["embedding"][0],
        "class_token": token,
        "patch_mean": mean,
        "evidence": np.sum(written, axis=0) + patches @ probable[width + config.width :] / len(patches),
        "margin": np.array([answer @ (np.concatenate([logits[0], further]) - logits.mean())]),
    }


def _direction(weights: Weights, taps: dict[str, Floats], config: ViTConfig, answer: Floats) -> Floats:
    """As `reference.direction`, which takes out the mean of all rows, but that of the network's own rows alone."""
    head = weights["head.weight"] - weights["head.weight"][: config.classes].mean(axis=0)
    balanced = np.concatenate([head, -head.sum(axis=0, keepdims=True)])  # one more of no probability: the mean is zero
    return reference.direction(taps, weights | {"head.weight": balanced}, config, np.append(answer, 0.0))


def some_rows(config: ViTConfig, count: int = 2) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(3)
    return rng.normal(0, 0.1, (count, spare_width(config))).astype(np.float32), np.array([1.0, 0.5], np.float32)


@pytest.mark.parametrize("left_out", [[], ["stream"], ["last_row", "temperature"]], ids=str)
@pytest.mark.parametrize("signature", ["classify", "explain"])
def test_further_rows_are_labels_like_any_other(signature: str, left_out: list[str]) -> None:
    weights, (image,) = to_timm(small_vit(PLAIN)), photos(1, PLAIN)
    rows, offsets = some_rows(PLAIN)
    floats = to_float(fold(PLAIN, weights, rewrites=Rewrites.without(*left_out)), spare=ROOM)
    found = run(floats, signature, image, **given(rows, offsets))
    wanted = expected(PLAIN, weights, image, rows, offsets, "stream" not in left_out)

    assert found["probabilities"][7:].tolist() == [0] * (ROOM - 2)
    assert wanted["probabilities"][5:].min() > 1e-3
    found["probabilities"] = found["probabilities"][:7]
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, atol=1e-4, err_msg=name)


def test_rows_that_are_not_used_change_nothing() -> None:
    weights, image = to_timm(small_vit(PLAIN)), photos(1, PLAIN)[0]
    floats = to_float(fold(PLAIN, weights)), to_float(fold(PLAIN, weights), spare=ROOM)
    files = [quantise(allow_float16(delegate_input(each))) for each in floats]
    none = given(np.zeros((0, spare_width(PLAIN)), np.float32), np.zeros(0, np.float32))

    assert pieces(files[1]) == {"classify": (1, 0), "explain": (1, 0)}
    for signature in ("classify", "explain"):
        without, spare = run(files[0], signature, image), run(files[1], signature, image, **none)
        spare["probabilities"] = spare["probabilities"][: PLAIN.classes]
        for name, values in without.items():
            np.testing.assert_allclose(spare[name], values, atol=1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("choice", "width"),
    [({"pooling": "distilled"}, 128), ({"pooling": "mean"}, 0), ({"shared_width": 12}, 0), ({"head_hidden": 9}, 0)],
    ids=str,
)
def test_spare_rows_need_a_class_token_and_a_linear_head(choice: dict[str, Any], width: int) -> None:
    assert spare_width(replace(PLAIN, **choice)) == width


@pytest.mark.parametrize("choice", [{"pooling": "distilled"}, {"registers": 2, "depth": 1}, {"norm": "post"}], ids=str)
def test_networks_of_other_choices_have_spare_rows_in_one_piece(choice: dict[str, Any]) -> None:
    config = replace(PLAIN, **choice)
    weights, image = to_timm(small_vit(config)), photos(1, config)[0]
    floats = to_float(fold(config, weights, rows=(0, 1, 1, 2, 0)), spare=ROOM)
    found = run(floats, "explain", image, **given(np.zeros((0, spare_width(config)), np.float32), np.zeros(0)))
    wanted = expected_outputs(config, weights, image)
    wanted["probabilities"] = np.append(np.bincount((0, 1, 1, 2, 0), wanted["probabilities"]), np.zeros(ROOM))

    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, atol=1e-4, err_msg=name)
    assert pieces(quantise(allow_float16(delegate_input(floats)))) == {"classify": (1, 0), "explain": (1, 0)}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with room for rows and with a bank."""
    folder = tmp_path_factory.mktemp("spare")
    config = replace(PLAIN, classes=4, image_size=(16, 16))
    about = Metadata("net", "", ("blue", "green", "red"), InputSpec(16, 16), network=asdict(config), rows=(0, 1, 2, 1))
    save_weights(folder / "net.safetensors", to_timm(small_vit(config)), about)
    data = open_dataset(str(write_pictures(folder / "photos", each=8, side=16)))
    export_model(folder / "net.safetensors", folder / "small.tflite", spare_rows=ROOM, banked=[data])
    return folder / "small.tflite"


def features_of(classifier: Classifier, image: NDArray[np.uint8]) -> Floats:
    """What a row reads: the embedding, the class token and the mean of the patches."""
    found = classifier.classify_image(image)
    assert found.embedding is not None
    assert found.features is not None
    return np.concatenate([found.embedding, found.features])


def test_a_label_is_added_on_the_device_and_named_everywhere(model: Path) -> None:
    classifier, images = Classifier(model, threads=1), photos(2, replace(PLAIN, image_size=(16, 16)))
    before = [classifier.classify_image(image, explain=True) for image in images]
    one, other = (features_of(classifier, image) for image in images)
    row = (one - other) * 60 / np.square(one - other).sum()  # 30 for the first picture and -30 for the second
    offset = np.array([-row @ (one + other) / 2], np.float32)
    classifier.take_rows(AddedRows(("Mia",), row[None].astype(np.float32), offset))

    for run in (classifier, classifier.clone(1)):
        for explain in (False, True):
            mia, not_mia = (run.classify_image(image, explain=explain) for image in images)
            assert mia.top[0].label == "Mia"
            assert mia.top[0].p > 0.9
            assert (mia.shown.label, mia.shown.level) == ("Mia", "label")
            assert mia.evidence is not None
            assert before[0].evidence is not None
            assert not np.allclose(mia.evidence, before[0].evidence)
            assert mia.evidence_share is not None
            assert not_mia.top[0].label == before[1].top[0].label
            assert [guess.label for guess in not_mia.top].count("Mia") == 1
    classifier.take_rows(AddedRows.none(classifier.card))
    assert classifier.labels == ("blue", "green", "red")
    assert classifier.classify_image(images[0]).top == before[0].top


def test_the_bank_holds_what_the_file_itself_makes_of_the_photos(model: Path) -> None:
    classifier, data = Classifier(model, threads=1), open_dataset(str(model.parent / "photos"))
    bank, photos_of_data = classifier.bank(), data.part("train")
    assert bank is not None
    assert classifier.card.bank == len(bank) == len(photos_of_data)
    row = np.zeros((1, classifier.card.row_width), np.float32)
    classifier.take_rows(AddedRows(("other",), row, np.array([1.0], np.float32)))
    classifier.top_k = 4
    features = bank.features.astype(np.float32)  # (n, D), kept in 255 steps a column
    half_a_step = np.abs(features).max(axis=0) / 127 / 2 + 5e-3  # and they are read as float16
    found_places = set()

    for sample, found in ask_readable(classifier, photos_of_data):
        read = read_by_rows(found)
        assert read is not None
        place = int(np.abs(features - read).max(axis=1).argmin())
        found_places.add(place)
        assert (np.abs(features[place] - read) <= half_a_step).all()
        (p,) = [guess.p for guess in found.top if guess.label == "other"]
        assert p == pytest.approx(1 / (1 + np.exp(float(bank.log_sums[place]) - 1.0)), abs=2e-3)
        assert classifier.labels[bank.labels[place]] == data.labels[sample.label]
        best = next(guess for guess in found.top if guess.label != "other")
        own = best.p / (1 - p) if best.label == data.labels[sample.label] else 0.0
        assert bank.right[place] == pytest.approx(own, abs=2e-3)
    assert found_places == set(range(len(bank)))


def test_a_file_with_room_can_be_tried_in_other_numbers(model: Path, tmp_path: Path) -> None:
    checkpoint, data = model.with_suffix(".safetensors"), open_dataset(str(model.parent / "photos"))
    network = replace(TrainedNetwork.read(checkpoint), row_capacity=ROOM)
    outcome = Trial(network, checkpoint, data, "train", tmp_path).run("float", Quantisation("float"))

    assert outcome.found["agreement"] == 1.0
    assert outcome.found["shift"] < 1e-4


@pytest.mark.parametrize(
    ("scheme", "choice", "complaint"),
    [("static", {}, "takes nothing but pictures"), ("dynamic", {"pooling": "mean"}, "needs a class token")],
)
def test_a_file_that_can_have_no_room_is_refused(
    scheme: str, choice: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    config = replace(PLAIN, **choice)
    about = Metadata("net", "", tuple("abcde"), InputSpec(16, 24), network=asdict(config))
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit(config)), about)

    with pytest.raises(UsageError, match=complaint):
        export_model(tmp_path / "net.safetensors", tmp_path / "a.tflite", how=Quantisation(scheme), spare_rows=ROOM)


@pytest.mark.parametrize(
    ("labels", "width", "complaint"),
    [
        (("red",), None, "'red' twice"),
        (("a", "a"), None, "'a' twice"),
        (tuple("abcdefg"), None, "room for 6 labels besides its own, and there are 7"),
        (("a",), 5, "1 rows of 96 numbers are needed"),
    ],
)
def test_rows_that_do_not_fit_are_refused(
    model: Path, labels: tuple[str, ...], width: int | None, complaint: str
) -> None:
    classifier = Classifier(model, threads=1)
    rows = np.zeros((len(labels), width or classifier.card.row_width), np.float32)

    with pytest.raises(UsageError, match=complaint):
        classifier.take_rows(AddedRows(labels, rows, np.zeros(len(labels), np.float32)))
    assert classifier.labels == ("blue", "green", "red")


def test_a_file_without_room_says_how_to_get_some(tmp_path: Path) -> None:
    about = Metadata("net", "", tuple("abcde"), InputSpec(16, 24), network=asdict(PLAIN))
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit(PLAIN)), about)
    export_model(tmp_path / "net.safetensors", tmp_path / "small.tflite")
    classifier = Classifier(tmp_path / "small.tflite", threads=1)
    row = np.zeros((1, classifier.card.row_width), np.float32)

    with pytest.raises(UsageError, match="export it with --spare-rows"):
        classifier.take_rows(AddedRows(("mine",), row, np.zeros(1, np.float32)))
    assert classifier.bank() is None
    assert classifier.classify_image(photos(1, PLAIN)[0]).features is None


@pytest.mark.parametrize("card", [{"row_capacity": 5}, {"row_capacity": 0}, {"row_capacity": 10**12}, {"width": 33}])
def test_a_description_of_another_room_is_refused(model: Path, tmp_path: Path, card: dict[str, Any]) -> None:
    changed = tmp_path / "changed.tflite"
    changed.write_bytes(model.read_bytes())
    bundle.amend(changed, **card)

    with pytest.raises(ModelError, match=r"changed\.tflite"):
        Classifier(changed, threads=1)


def test_a_bank_of_another_file_is_not_taken_for_that_of_the_running_model(model: Path, tmp_path: Path) -> None:
    running = tmp_path / "running.tflite"
    running.write_bytes(model.read_bytes())
    classifier = Classifier(running, threads=1)
    described = bundle.read(running)
    assert described is not None
    bundle.write(running, bundle.flatbuffer(running) + b"\0", described.card, list(described.labels), [])

    with pytest.raises(ModelError, match="another model than the one that runs"):
        classifier.bank()
