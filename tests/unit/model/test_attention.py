"""Whom every token attends to: looked up inside of a graph, in a process of its own, and packed."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.needs import need_model
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.frames import Image
from vitcam.model.attention.packed import pack, unpack
from vitcam.model.attention.process import AttentionProcess
from vitcam.model.classifier import Classifier
from vitcam.model.runtime import open_observed
from vitcam.pictures.decode import decode_image
from vitcam.pictures.resize import brightened, to_model_size

CAT = decode_image((Path(__file__).parents[3] / "models" / "golden" / "cat.jpg").read_bytes())


def as_the_model_gets_it(classifier: Classifier) -> Image:
    return brightened(to_model_size(CAT, classifier.input), classifier.input)


@pytest.fixture(scope="module")
def everyday() -> Classifier:
    return Classifier(need_model("everyday"), threads=1)


@pytest.mark.parametrize("name", ["everyday", "mnist", "cifar10-scratch"])
def test_what_the_head_reads_looked_where_the_model_file_itself_says(name: str, everyday: Classifier) -> None:
    classifier = everyday if name == "everyday" else Classifier(need_model(name), threads=1)

    header, blocks = unpack(AttentionProcess()(classifier, as_the_model_gets_it(classifier)))

    said = classifier.classify_image(CAT, explain=True).rows
    assert said is not None
    card, before = classifier.card, int(str(header["before"]))
    assert len(blocks) == card.layers == len(said)
    assert [header["rows"], header["columns"]] == list(card.grid)
    assert before == (1 if card.pooling == "cls_token" else 0)
    for block, rows in zip(blocks, said, strict=True):
        assert block.shape[0] == card.heads
        np.testing.assert_allclose(block.sum(axis=-1), 1, atol=0.02)  # of one byte for each weight
        read = block[..., before:].mean(axis=1) if card.pooling == "mean" else block[:, 0, before:]
        np.testing.assert_allclose(read, rows.reshape(card.heads, -1), atol=0.02)  # other arithmetic than XNNPACK's


def test_a_patch_has_an_attention_of_its_own_in_all_blocks_but_the_last(everyday: Classifier) -> None:
    header, blocks = unpack(AttentionProcess()(everyday, as_the_model_gets_it(everyday)))

    assert header["queries"] == [197] * 11 + [1], "of the last block nobody reads but the class token"
    first = blocks[0][:, 1:, 1:]
    assert first.shape == (3, 196, 196)
    assert np.abs(first - first[:, :1]).max() > 0.01, "patches do not all look at the same"


def children() -> set[str]:
    """Of this process; other tests may have some."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def test_nothing_of_the_process_is_left(everyday: Classifier) -> None:
    before = len([*Path("/proc/self/fd").iterdir()]), children()

    AttentionProcess()(everyday, as_the_model_gets_it(everyday))

    assert (len([*Path("/proc/self/fd").iterdir()]), children()) == before


def test_a_model_whose_description_names_no_patches_is_not_looked_into(everyday: Classifier) -> None:
    class Foreign:
        card = replace(everyday.card, layers=0, heads=0, patch_size=0)
        graph = everyday.graph

    with pytest.raises(UsageError, match="does not show whom its patches attend to"):
        AttentionProcess()(Foreign, as_the_model_gets_it(everyday))  # type: ignore[arg-type]


def test_a_graph_without_such_weights_is_refused_by_what_it_lacks(everyday: Classifier) -> None:
    class Other:
        card = replace(everyday.card, heads=5)
        graph = everyday.graph

    with pytest.raises(UsageError, match="does not show whom its patches attend to"):
        AttentionProcess()(Other, as_the_model_gets_it(everyday))  # type: ignore[arg-type]


@pytest.mark.parametrize("memory_mb", [48, 96])  # the graph itself does not fit, or what it makes
def test_too_much_memory_is_a_sentence(everyday: Classifier, memory_mb: int) -> None:
    with pytest.raises(UsageError, match="more memory than is allowed"):
        AttentionProcess(memory_mb=memory_mb)(everyday, as_the_model_gets_it(everyday))


def test_what_its_tensors_take_is_known_before_they_take_it(everyday: Classifier) -> None:
    """Also where a service's unit forbids a process to limit itself."""
    with pytest.raises(ModelError) as refused:
        open_observed(everyday.path, everyday.graph.content, 50 << 20)

    assert isinstance(refused.value.__cause__, MemoryError)


def test_a_process_that_takes_too_long_is_ended(everyday: Classifier) -> None:
    with pytest.raises(UsageError, match=r"more than 0\.05 s"):
        AttentionProcess(limit_s=0.05)(everyday, as_the_model_gets_it(everyday))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_closing_ends_a_process_that_runs(everyday: Classifier) -> None:
    running = AttentionProcess()
    threading.Timer(0.1, running.close).start()

    for _ in range(2):
        with pytest.raises(VitcamError, match="ending"):
            running(everyday, as_the_model_gets_it(everyday))


def test_small_weights_can_be_told_apart_beside_a_large_one() -> None:
    row = np.array([0.98, 0.01, 0.0004, 0.0], np.float32)

    _, (found,) = unpack(pack([row[None, None]], (1, 3)))

    np.testing.assert_allclose(found[0, 0], row, rtol=0.15)


def test_what_is_too_large_is_the_mean_of_the_heads_and_then_refused() -> None:
    blocks = [np.full((4, 10, 10), 0.1, np.float32)] * 3

    whole, _ = unpack(pack(blocks, (3, 3), most=1200))
    header, means = unpack(pack(blocks, (3, 3), most=1199))

    assert (whole["heads"], whole["averaged"]) == (4, False)
    assert (header["heads"], header["averaged"]) == (1, True)
    np.testing.assert_allclose(means[0][0, 0], 0.1, rtol=0.01)
    with pytest.raises(UsageError, match="choose a smaller model"):
        pack(blocks, (3, 3), most=299)


def test_weights_that_are_all_zero_stay_so() -> None:
    _, (found,) = unpack(pack([np.zeros((1, 2, 4), np.float32)], (2, 2)))

    assert not found.any()
