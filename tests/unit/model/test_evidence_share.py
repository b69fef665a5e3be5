import numpy as np
import pytest

from vitcam.model.evidence import evidence_share

EVIDENCE = np.array([[3.0, 1.0], [-1.0, 0.5]], np.float32)


def test_the_share_of_the_evidence_is_its_sum_over_the_margin() -> None:
    found = evidence_share({"evidence": EVIDENCE, "margin": np.array([[4.0]], np.float32)})

    assert found == pytest.approx(3.5 / 4)


def test_there_is_no_share_without_a_margin_or_where_all_labels_are_as_likely() -> None:
    assert evidence_share({"evidence": EVIDENCE}) is None
    assert evidence_share({"margin": np.ones(1, np.float32)}) is None
    assert evidence_share({"evidence": EVIDENCE, "margin": np.zeros(1, np.float32)}) is None
