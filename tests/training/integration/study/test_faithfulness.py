"""The faithfulness of overlays, on a network made by hand whose answer hangs on one patch, down to its int8 file."""

import json
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import InputSpec
from vitcam_training.config import ViTConfig
from vitcam_training.export.export import export_model
from vitcam_training.report.faithfulness import read_result
from vitcam_training.study.faithfulness.__main__ import app
from vitcam_training.study.program import start
from vitcam_training.weights.checkpoints import Weights, save_weights
from vitcam_training.weights.metadata import Metadata

pytestmark = pytest.mark.slow("training/study/faithfulness", "vitcam/pictures/overlay.py")

CONFIG = ViTConfig(classes=2, image_size=(48, 48), patch_size=8, width=8, depth=1, heads=1)
KNOWN = (1, 4)  # the patch that the network looks at


def weights() -> Weights:
    """Token channels: 0 and 1 hold how bright a patch is and its opposite; 2 and 3 mark the known place, 4 and 5 the
    class token. It looks for the mark, takes over the brightness, and answers `bright` or `dark`."""
    noise = np.random.default_rng(0)  # a scale of int8 needs something to scale
    pairs = np.kron(np.eye(4), [[1], [-1]])  # (8, 4): each value with its opposite, so that the mean is zero
    bright, mark, token = pairs[:, 0], pairs[:, 1], pairs[:, 2]
    position = np.zeros((1, 37, 8))
    position[0, 1 + 6 * KNOWN[0] + KNOWN[1]] = 2 * mark
    qkv = np.zeros((24, 8))
    qkv[8, 2] = 1  # key: the mark
    qkv[16, 0] = 1  # value: the brightness
    bias = np.zeros(24)
    bias[0] = 20  # query: the mark, whoever asks
    plain = {
        "cls_token": 3 * token[None, None],
        "pos_embed": position,
        "patch_embed.proj.weight": np.einsum("d,chw->dchw", bright, np.full((3, 8, 8), 1 / 192)),
        "patch_embed.proj.bias": np.zeros(8),
        "blocks.0.norm1.weight": np.ones(8),
        "blocks.0.norm1.bias": np.zeros(8),
        "blocks.0.attn.qkv.weight": qkv,
        "blocks.0.attn.qkv.bias": bias,
        "blocks.0.attn.proj.weight": 4 * np.outer(bright, np.eye(8)[0]),
        "blocks.0.attn.proj.bias": np.zeros(8),
        "blocks.0.norm2.weight": np.ones(8),
        "blocks.0.norm2.bias": np.zeros(8),
        "blocks.0.mlp.fc1.weight": np.zeros((32, 8)),
        "blocks.0.mlp.fc1.bias": np.zeros(32),
        "blocks.0.mlp.fc2.weight": np.zeros((8, 32)),
        "blocks.0.mlp.fc2.bias": np.zeros(8),
        "norm.weight": np.ones(8),
        "norm.bias": np.zeros(8),
        "head.weight": np.stack([bright, -bright]),
        "head.bias": np.zeros(2),
    }
    return {name: (a + noise.normal(0, 1e-3, a.shape)).astype(np.float32) for name, a in plain.items()}


def write_photos(root: Path) -> None:
    """Patches of any grey; the known one is bright or dark, as the folder says."""
    rng = np.random.default_rng(1)
    for label, grey in (("bright", 240), ("dark", 10)):
        (root / label).mkdir(parents=True)
        for i in range(40):
            patches = rng.integers(80, 150, (6, 6)).astype(np.uint8)
            patches[KNOWN] = grey
            cv2.imwrite(str(root / label / f"{i:02}.png"), patches.repeat(8, 0).repeat(8, 1))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("overlays")
    write_photos(root / "photos")
    (root / "golden").mkdir()
    for label in ("bright", "dark"):
        (root / "golden" / f"{label}.png").write_bytes((root / "photos" / label / "00.png").read_bytes())
    about = Metadata("by hand", "", ("bright", "dark"), InputSpec(48, 48), network=asdict(CONFIG))
    save_weights(root / "trained.safetensors", weights(), about)
    export_model(root / "trained.safetensors", root / "net.tflite", golden=root / "golden")
    command = [
        root / "net.tflite",
        "--data",
        root / "photos",
        "--photos",
        "12",
        "--steps",
        "5",
        "--neutral",
        "blur,mean",
    ]
    result = CliRunner().invoke(
        app,
        [*map(str, command), "--page", str(root / "page.md"), "--kept", str(root / "kept"), "--json"],
        catch_exceptions=False,
    )
    assert result.exit_code == 0, result.output
    (root / "said.json").write_text(result.stdout)
    return root


def test_evidence_and_attention_point_at_the_patch_that_the_answer_hangs_on(workshop: Path) -> None:
    classifier = Classifier(workshop / "net.tflite")
    found = [classifier.classify_image(golden.image) for golden in classifier.golden]

    assert [prediction.top[0].label for prediction in found] == ["bright", "dark"]
    for prediction in found:
        assert prediction.evidence is not None
        assert prediction.attention is not None
        assert int(prediction.evidence.argmax()) == 6 * KNOWN[0] + KNOWN[1]
        assert int(prediction.attention[0].argmax()) == 6 * KNOWN[0] + KNOWN[1]
    assert (classifier.runtime.partitions, classifier.runtime.outside) == (1, 0)


def test_the_overlay_is_found_honest_with_confidence_where_it_is(workshop: Path) -> None:
    said = json.loads((workshop / "said.json").read_text())
    verdict = read_result(workshop / "net.overlays.json")

    assert said == {"model": "by hand", "shown": "evidence", "photos": 12, "deletion": True, "insertion": True}
    assert verdict is not None
    assert list(verdict.findings) == ["blur", "mean"]
    names = {one.name for one in verdict.findings["blur"]}
    assert {"random", "centre", "mean map", "attention", "evidence", "likeness", "patch logits", "occlusion"} <= names
    for neutral in verdict.findings:
        assert verdict.finding("occlusion", neutral).beats("centre", "deletion")


def test_page_plot_and_sheet_lie_under_one_name(workshop: Path) -> None:
    page = (workshop / "page.md").read_text()
    sheet = cv2.imread(str(workshop / "page.jpg"))

    assert "| **evidence** |" in page
    assert "page.svg" in page
    assert "page.jpg" in page
    assert sheet is not None
    assert (workshop / "page.jpg").stat().st_size <= 300_000
    assert (workshop / "net.overlays.json").stat().st_size <= 20_000


def test_what_was_measured_is_kept_and_asked_no_second_time(workshop: Path) -> None:
    kept = {path: path.stat().st_mtime_ns for path in (workshop / "kept").rglob("*.npz")}
    before = (workshop / "net.overlays.json").read_text()
    command = [
        workshop / "net.tflite",
        "--data",
        workshop / "photos",
        "--photos",
        "12",
        "--steps",
        "5",
        "--neutral",
        "blur,mean",
    ]
    again = ["--page", str(workshop / "again.md"), "--kept", str(workshop / "kept")]
    CliRunner().invoke(app, [*map(str, command), *again], catch_exceptions=False)

    assert {path: path.stat().st_mtime_ns for path in (workshop / "kept").rglob("*.npz")} == kept
    assert json.loads((workshop / "net.overlays.json").read_text())["findings"] == json.loads(before)["findings"]


def test_a_network_with_other_patches_is_refused_by_name(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    about = Metadata("other", "", ("bright", "dark"), InputSpec(24, 24))
    other = weights() | {"pos_embed": np.zeros((1, 10, 8), np.float32)}
    save_weights(workshop / "other.safetensors", other, about)
    command = [
        workshop / "net.tflite",
        "--data",
        workshop / "photos",
        "--float",
        workshop / "other.safetensors",
    ]
    monkeypatch.setattr("sys.argv", ["faithfulness", *map(str, command)])

    with pytest.raises(SystemExit) as refused:
        start(app, "faithfulness")

    assert refused.value.code == 2
    assert "other.safetensors has other patches than" in capsys.readouterr().err
