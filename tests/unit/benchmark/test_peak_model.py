"""The yardstick of the roofline: it must be the product it claims to be, by the kernels that it claims to measure."""

from pathlib import Path

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from vitcam.benchmark.peak_model import MACS, SIDE, WeightType, square_product
from vitcam.model.macs import Macs, count_macs
from vitcam.model.runtime import open_interpreter


@pytest.mark.parametrize(("kind", "macs"), [("int8", Macs(MACS, 0)), ("floating", Macs(0, MACS))])
def test_the_yardstick_is_one_delegate_partition_of_a_known_number_of_multiply_adds(
    tmp_path: Path, kind: WeightType, macs: Macs
) -> None:
    path = tmp_path / "peak.tflite"
    path.write_bytes(square_product(kind))
    info = open_interpreter(path, threads=1).info

    assert (info.partitions, info.outside) == (1, 0)
    assert count_macs(path) == macs


@pytest.mark.parametrize(
    ("kind", "dtype", "scale", "tolerance"), [("int8", "i1", 0.01, 0.02), ("floating", "f4", 1, 1e-5)]
)
def test_the_yardstick_really_multiplies_by_all_of_its_weights(
    tmp_path: Path, kind: WeightType, dtype: str, scale: float, tolerance: float
) -> None:
    content = square_product(kind)
    (tmp_path / "peak.tflite").write_bytes(content)
    stored = schema.Model.GetRootAs(content, 0).Buffers(1).DataAsNumpy().tobytes()
    weights = np.frombuffer(stored, dtype).reshape(SIDE, SIDE).astype(np.float32) * np.float32(scale)
    x = np.random.default_rng(1).standard_normal((SIDE, SIDE), np.float32)
    graph = open_interpreter(tmp_path / "peak.tflite", threads=2)
    graph.set_input(x)
    graph.invoke()
    expected = x[0] @ weights.T

    assert np.abs(graph.get_output(0) - expected).max() < tolerance * np.abs(expected).max()
