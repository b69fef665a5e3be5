"""A published model is fetched, checked and described; without a network one sentence says what to do."""

import hashlib
import http.server
from dataclasses import replace
from pathlib import Path

import pytest

from tests.colour_model import LABELS, write_colour_model
from tests.command import vitcam
from tests.needs import need_data
from tests.served import served
from vitcam.errors import UsageError, VitcamError
from vitcam.model.classifier import Classifier
from vitcam.parts.second.published import PUBLISHED, PublishedFile, PublishedModel, files_of


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def published(folder: Path, port: int) -> PublishedModel:
    """A tiny model in a folder that is served."""
    write_colour_model(folder / "graph.tflite")
    (folder / "labels.txt").write_text("\n".join(LABELS))
    graph, labels = (
        PublishedFile(f"http://127.0.0.1:{port}/{path.name}", hashlib.sha256(data).hexdigest(), len(data))
        for path in (folder / "graph.tflite", folder / "labels.txt")
        for data in (path.read_bytes(),)
    )
    return PublishedModel(graph, labels, PUBLISHED["birds"].given)


def test_files_are_fetched_and_checked(tmp_path: Path) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: Quiet(*args, directory=str(tmp_path)))
    with served(server):
        model = published(tmp_path, server.server_port)
        with files_of(model, None) as (graph, labels):
            assert graph.read_bytes() == (tmp_path / "graph.tflite").read_bytes()
            assert labels == LABELS
        assert not graph.exists()
        changed = replace(model, labels=replace(model.labels, sha256="0" * 64))
        with pytest.raises(VitcamError, match="is not the file that was published"), files_of(changed, None):
            pass
        gone = replace(model, graph=replace(model.graph, address=f"{model.graph.address}.gone"))
        with pytest.raises(VitcamError, match=r"cannot be fetched: .*404"), files_of(gone, None):
            pass
    with pytest.raises(VitcamError, match=r"cannot be fetched: .*; connect this machine"), files_of(model, None):
        pass
    with files_of(model, tmp_path) as (graph, labels):
        assert labels == LABELS
    with pytest.raises(UsageError, match="does not hold"), files_of(changed, tmp_path):
        pass


def test_birds_come_from_a_folder_and_answer(tmp_path: Path) -> None:
    done = vitcam("models", "get", "birds", "--from", str(need_data("species")), XDG_DATA_HOME=str(tmp_path))

    assert done.code == 0, done.err
    assert "Apache-2.0" in done.out
    classifier = Classifier(tmp_path / "vitcam/models/birds.tflite")
    assert len(classifier.labels) == 965
    assert classifier.card.licence.startswith("Apache-2.0")


def test_another_name_is_refused_with_those_that_there_are() -> None:
    done = vitcam("models", "get", "dinosaurs")

    assert done.code == 2
    assert done.sentence == "vitcam: no model 'dinosaurs' can be fetched; there are birds"
