"""Names of outputs: one printable line each, no two alike."""

from pathlib import Path

import pytest

from tests.needs import need_data
from tests.training.unit.nets import SMALL, small_vit
from vitcam.pictures.resize import InputSpec
from vitcam_training.weights.checkpoints import save_weights, to_timm
from vitcam_training.weights.labels import named, own_names, read_labels
from vitcam_training.weights.metadata import Metadata, read_metadata


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("crane", "dog", "crane"), ("crane", "dog", "crane (2)")),
        (("crane", "crane", "crane (2)", "crane"), ("crane", "crane (3)", "crane (2)", "crane (4)")),
        (("", "dog", " \n"), ("label 0", "dog", "label 2")),
        (("", "label 0"), ("label 0", "label 0 (2)")),
        (("cat\ndog", "tea\u2028cup", "a\x85b\x00"), ("cat dog", "tea cup", "a b")),
        (("cafe\u0301", "caf\u00e9"), ("caf\u00e9", "caf\u00e9 (2)")),
        (("two  spaces", "tench, Tinca tinca"), ("two  spaces", "tench, Tinca tinca")),
    ],
)
def test_every_output_gets_a_name_of_its_own(given: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert own_names(given) == names
    assert own_names(names) == names


def test_what_is_renamed_is_said_with_its_output(caplog: pytest.LogCaptureFixture) -> None:
    named("net", ("crane", "dog", "crane", ""))

    assert "net: 'crane' (output 2) is called 'crane (2)', '' (output 3) is called 'label 3'; --labels" in caplog.text
    assert "dog" not in caplog.text


def test_a_file_of_labels_may_repeat_one_and_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_bytes("\ufeffcrane\r\ndog\r\n\r\ncrane\r\n".encode())

    assert read_labels(path) == (("crane", "dog", "crane (2)"), ())


def test_imagenet_s_cranes_keep_the_names_that_their_ids_tell() -> None:
    names, ids = read_labels(need_data("deit_tiny") / "synset_words.txt")

    assert len(set(names)) == len(ids) == 1000
    assert {name for name in names if name.startswith(("crane", "maillot"))} == {
        "crane (n02012849)", "crane (n03126707)", "maillot (n03710637)", "maillot (n03710721)",
    }  # fmt: skip


def test_a_checkpoint_of_before_that_repeats_a_label_is_read_with_names_of_their_own(tmp_path: Path) -> None:
    labels = ("crane", "dog", "crane", "", "cup")
    about = Metadata("net", "", labels, InputSpec(*SMALL.image_size))
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit()), about)

    assert read_metadata(tmp_path / "net.safetensors").labels == ("crane", "dog", "crane (2)", "label 3", "cup")
