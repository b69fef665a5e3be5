"""A foreign network on its whole way: read, named, exported with figures, asked."""

import json
from pathlib import Path

import numpy as np

from tests.training.unit.pictures import write_pictures
from tests.training.unit.weights.published.test_shards import sharded
from vitcam.model.classifier import Classifier
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.export.export import export_model
from vitcam_training.export.quantise import Quantisation
from vitcam_training.study import reference
from vitcam_training.weights.checkpoints import read_network
from vitcam_training.weights.foreign import ImportOptions, import_foreign

PREPARED = {"do_normalize": False, "rescale_factor": 1 / 127.5, "size": {"height": 48, "width": 48}}


def test_shards_repeated_labels_and_another_scale_reach_the_model_file(tmp_path: Path) -> None:
    folder, checkpoint, model = sharded(tmp_path / "net"), tmp_path / "net.safetensors", tmp_path / "net.tflite"
    settings = json.loads((folder / "config.json").read_text())
    named = settings | {"id2label": {"0": "blue", "1": "red", "2": "blue"}}
    (folder / "config.json").write_text(json.dumps(named))
    (folder / "preprocessor_config.json").write_text(json.dumps(PREPARED))
    import_foreign(str(folder), None, checkpoint, ImportOptions("net"))
    pictures = write_pictures(tmp_path / "photos", each=4)
    (pictures / "green").rename(tmp_path / "green")
    card = export_model(checkpoint, model, open_dataset(str(pictures)), how=Quantisation("float"))
    classifier = Classifier(model, threads=1)
    image = np.random.default_rng(0).integers(0, 256, (48, 48, 3), np.uint8)
    config, weights = read_network(checkpoint)
    logits = reference.vit(image[None], weights, config)[0][0]
    answer = {guess.label: guess.p for guess in classifier.classify_image(image).top}

    assert card.accuracy["n"] == 2
    assert classifier.labels == ("blue", "red", "blue (2)")
    assert np.ptp(logits) > 0.1, "the answers differ"
    expected = reference.softmax(logits / card.temperature)
    np.testing.assert_allclose([answer[label] for label in classifier.labels], expected, atol=1e-3)
