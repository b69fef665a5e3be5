"""A model file that is damaged or made up is refused as one: a ModelError, whatever byte is wrong."""

import hashlib
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command import vitcam
from tests.needs import need_model
from tests.refusals import naming
from vitcam.cli.models import verify
from vitcam.errors import ModelError
from vitcam.model.bundle import flatbuffer
from vitcam.model.classifier import Classifier
from vitcam.model.files import list_models, unreadable_models

Parts = dict[str, bytes]
GREY = np.full((32, 32, 3), 128, np.uint8)
USE = """
import sys
from vitcam.errors import ModelError
from vitcam.model.classifier import Classifier
for path in sys.argv[1:]:
    try:
        Classifier(path, threads=1).verify()
        print("used")
    except ModelError as error:
        print(error)
"""
NONSENSE: tuple[Any, ...] = (None, True, -1, 0, 1e308, 2**70, "x", "", [], {}, [[1]], {"a": 1}, float("nan"), "9" * 50)


@pytest.fixture(scope="module")
def graph() -> bytes:
    return flatbuffer(need_model("mnist"))


@pytest.fixture(scope="module")
def parts() -> Parts:
    with zipfile.ZipFile(need_model("mnist")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, graph: bytes, parts: Parts) -> Path:
    path.write_bytes(graph)
    with zipfile.ZipFile(path, "a") as archive:
        for name, content in parts.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return path


def without_checksum(parts: Parts) -> Parts:
    """As vitcam wrote them before there was one."""
    card = json.loads(parts["vitcam.json"])
    card.pop("graph_sha256", None)
    return parts | {"vitcam.json": json.dumps(card).encode()}


def flipped(content: bytes, place: int) -> bytes:
    """One bit is another."""
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def used(path: Path) -> str:
    """Empty if a model answers, else why it was refused; anything but ModelError is a bug."""
    try:
        classifier = Classifier(path, threads=1)
        classifier.verify()
        classifier.classify_image(GREY, explain=True)
    except ModelError as error:
        return str(error)
    return ""


def damaged(content: bytes, chance: random.Random, most: int = 10) -> bytes:
    data = bytearray(content)
    for _ in range(chance.randint(1, most)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def nonsense_in(content: bytes, chance: random.Random) -> bytes:
    """One value of a JSON document is another, or gone."""
    document: Any = json.loads(content)
    node = document
    while True:
        key = chance.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if not (isinstance(node[key], dict | list) and node[key] and chance.random() < 0.7):
            break
        node = node[key]
    if chance.random() < 0.2:
        del node[key]
    else:
        node[key] = chance.choice(NONSENSE)
    return json.dumps(document).encode()


@pytest.mark.parametrize("name", ["vitcam.json", "golden.json", "labels.txt", "blank/wall.png", "golden/0.png"])
def test_a_damaged_part_is_refused_or_does_no_harm(tmp_path: Path, graph: bytes, parts: Parts, name: str) -> None:
    harm: Callable[[bytes, random.Random], bytes] = nonsense_in if name.endswith(".json") else damaged
    said = [
        used(written(tmp_path / f"{seed}.tflite", graph, parts | {name: harm(parts[name], random.Random(seed))}))
        for seed in range(20)
    ]

    assert any(said)
    assert all("mnist" not in text or ".tflite" in text for text in said)


def test_damage_anywhere_in_the_archive_is_refused_or_does_no_harm(tmp_path: Path, graph: bytes) -> None:
    content, path = need_model("mnist").read_bytes(), tmp_path / "a.tflite"
    said = []
    for seed in range(60):
        path.write_bytes(graph + damaged(content[len(graph) :], random.Random(seed), 5))
        said.append(used(path))

    assert any(said)


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    content, path = need_model("mnist").read_bytes(), tmp_path / "a.tflite"
    for share in (0.01, 0.3, 0.7, 0.9, 0.99):
        path.write_bytes(content[: int(len(content) * share)])

        assert used(path)


@pytest.mark.parametrize("name", ["everyday", "cifar10", "cifar10-scratch", "mnist"])
def test_one_wrong_bit_in_the_graph_of_a_shipped_model_is_refused(tmp_path: Path, name: str) -> None:
    content, size = need_model(name).read_bytes(), len(flatbuffer(need_model(name)))
    path = tmp_path / "a.tflite"
    for place in (8, size // 2, size - 1):
        path.write_bytes(flipped(content, place))

        assert "a.tflite is damaged" in used(path)
        assert "copy the file again, or export the model again" in used(path)


def test_no_damage_to_the_graph_reaches_the_runtime_where_it_could_end_the_process(
    tmp_path: Path, graph: bytes, parts: Parts
) -> None:
    paths = [written(tmp_path / f"{seed}.tflite", damaged(graph, random.Random(seed)), parts) for seed in range(125)]
    child = subprocess.run([sys.executable, "-c", USE, *paths], capture_output=True, text=True, timeout=120)

    assert child.returncode == 0, f"ended by signal {-child.returncode}"
    assert len(child.stdout.splitlines()) == len(paths)
    assert all(".tflite is " in line for line in child.stdout.splitlines())


def test_a_graph_with_something_written_behind_it_is_refused(tmp_path: Path, graph: bytes, parts: Parts) -> None:
    assert "is damaged" in used(written(tmp_path / "a.tflite", graph + b"\0", parts))


def test_a_file_from_before_there_was_a_checksum_is_used(tmp_path: Path, graph: bytes, parts: Parts) -> None:
    assert used(written(tmp_path / "a.tflite", graph, without_checksum(parts))) == ""


def test_verify_says_whether_the_file_is_as_it_was_written(
    tmp_path: Path, graph: bytes, parts: Parts, capsys: pytest.CaptureFixture[str]
) -> None:
    verify("mnist", as_json=False)
    sound = capsys.readouterr().out.splitlines()[-1]
    verify(str(written(tmp_path / "a.tflite", graph, without_checksum(parts))), as_json=False)
    old = capsys.readouterr().out.splitlines()[-1]
    verify("mnist", as_json=True)
    record = json.loads(capsys.readouterr().out.splitlines()[0])

    assert sound == "ok   the graph and the golden images are byte for byte as they were written"
    assert "carries no checksum" in old
    assert record["graph_sha256"] == hashlib.sha256(graph).hexdigest()


def test_a_tensor_whose_name_is_no_text_is_refused(tmp_path: Path, graph: bytes, parts: Parts) -> None:
    name = Classifier(need_model("mnist"), threads=1).graph.inputs[0].name.encode()
    broken = graph.replace(name, b"\xff" * len(name))

    assert broken != graph
    assert "cannot be loaded" in used(written(tmp_path / "a.tflite", broken, without_checksum(parts)))


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ({"grid": [5, 5]}, "its description says"),
        ({"grid": "44"}, "'grid'"),
        ({"heads": "three"}, "'heads'"),
        ({"outputs": {"probabilities": 99}}, "number 99"),
        ({"outputs": {"attention": 0}}, "no probabilities"),
        ({"outputs": 3}, "'outputs'"),
        ({"threshold": float("nan")}, "'threshold'"),
    ],
)
def test_a_description_that_does_not_fit_says_what_is_wrong(
    tmp_path: Path, graph: bytes, parts: Parts, card: dict[str, Any], words: str
) -> None:
    changed = json.dumps(json.loads(parts["vitcam.json"]) | card).encode()

    assert words in used(written(tmp_path / "a.tflite", graph, parts | {"vitcam.json": changed}))


def test_a_bad_model_is_a_wrong_option_or_a_bad_configuration(tmp_path: Path, graph: bytes, parts: Parts) -> None:
    bad = written(tmp_path / "a.tflite", flipped(graph, 1000), parts)
    config = tmp_path / "vitcam.toml"
    config.write_text(f'[model]\nname = "{bad}"\n')
    run = ("run", "--source", "demo", "--no-web", "--log", "json")
    by_option = vitcam(*run, "--model", str(bad))
    by_file = vitcam(*run, "--config", str(config))
    by_variable = vitcam(*run, VITCAM_MODEL_NAME=str(bad))

    assert (by_option.code, by_file.code, by_variable.code) == (2, 78, 78)
    assert str(config) in by_file.sentence
    assert "VITCAM_MODEL_NAME" in by_variable.sentence


CRASHES_AT, BEFORE, AFTER = 75460, (55).to_bytes(4, "little"), (2**32 - 1).to_bytes(4, "little")
"""Another number in the graph of `mnist`: LiteRT does not refuse it, and crashes."""


@pytest.mark.fault(
    "a foreign model file crashes the runtime",
    injected="a wrong number in a graph that has no checksum",
    observed="the file is refused with a sentence; the process that asked for it lives",
)
def test_a_graph_that_crashes_the_runtime_is_refused_in_one_sentence(graph: bytes, tmp_path: Path) -> None:
    damaged = bytearray(graph)
    assert damaged[CRASHES_AT : CRASHES_AT + 4] == BEFORE, "the model has changed: find another place that crashes"
    damaged[CRASHES_AT : CRASHES_AT + 4] = AFTER
    path = tmp_path / "foreign.tflite"
    path.write_bytes(damaged)

    with pytest.raises(ModelError, match=naming("foreign.tflite", "damaged", "crashed")):
        Classifier(path, threads=1)


def test_a_folder_below_one_that_may_not_be_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, user = tmp_path / "of another user", os.geteuid()
    closed.mkdir(mode=0)
    monkeypatch.setenv("XDG_DATA_HOME", str(closed / "data"))
    try:
        if user == 0:
            os.seteuid(65534)  # root may read all folders
        found, said = list_models(), unreadable_models()
    finally:
        os.seteuid(user)

    assert not [path for path in found.values() if closed in path.parents]
    assert [sentence for sentence in said if str(closed) in sentence]
