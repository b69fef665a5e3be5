"""Which Raspberry Pi has the memory for a model."""

import pytest

from vitcam.cli.models import fitting_pis_gb

MB = 2**20


@pytest.mark.parametrize(
    ("file_mb", "smallest_gb"), [(0.1, 1), (7.5, 1), (24, 1), (90, 2), (300, 4), (1000, 8), (2000, 16)]
)
def test_the_smallest_pi_that_a_model_fits_grows_with_its_file(file_mb: float, smallest_gb: int) -> None:
    fitting = fitting_pis_gb(round(file_mb * MB))

    assert fitting[0] == smallest_gb
    assert fitting == tuple(size for size in (1, 2, 4, 8, 16) if size >= smallest_gb)
