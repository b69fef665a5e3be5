"""What is written into a loaded graph is what it reads, however the picture lies in memory."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam.model.files import find_model
from vitcam.model.runtime import Interpreter, open_interpreter


@pytest.fixture(scope="module")
def graph() -> Interpreter:
    return open_interpreter(find_model("mnist"), threads=1)


def answer(graph: Interpreter, picture: NDArray[np.generic]) -> NDArray[np.generic]:
    graph.set_input(picture)
    graph.invoke()
    return graph.get_output(0)


def test_a_picture_that_is_read_only_strided_or_of_another_type_is_written_as_it_is(graph: Interpreter) -> None:
    height, width, channels = graph.inputs[0].shape[1:]
    picture = np.random.default_rng(3).integers(0, 256, (height, width, channels), np.uint8)
    expected = answer(graph, picture)
    other = answer(graph, 255 - picture)
    read_only = picture.copy()
    read_only.setflags(write=False)
    padded = np.zeros((height, width + 5, channels), np.uint8)  # as a camera's rows may be
    padded[:, :width] = picture
    ways = [read_only, padded[:, :width], picture[None], picture.astype(np.float32), picture[:, ::-1][:, ::-1]]

    assert not np.allclose(other, expected)
    for way in ways:
        answer(graph, 255 - picture)
        np.testing.assert_array_equal(answer(graph, way), expected)


def test_a_picture_of_another_size_is_refused(graph: Interpreter) -> None:
    height, width, channels = graph.inputs[0].shape[1:]

    with pytest.raises(ValueError, match=r"shape|structure|size"):
        graph.set_input(np.zeros((height, width - 1, channels), np.uint8))
    with pytest.raises(ValueError, match=r"shape|structure|size"):
        graph.set_input(np.zeros((height, width - 1, channels), np.float32))
