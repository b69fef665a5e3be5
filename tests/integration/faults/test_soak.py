"""Three minutes of what `make soak` does for thirty."""

import pytest

from tests.soak.report import table
from tests.soak.run import soak

MINUTES = 3


@pytest.mark.fault(
    "hostile clients and a camera with faults at once, for long",
    injected="clients that come, stall, reset and send garbage; a fault of the camera every 20 s",
    observed="the picture is back each time; a good client is always answered; memory, descriptors, threads stay",
)
@pytest.mark.slow("vitcam", "tests/soak")
@pytest.mark.timeout(900)
def test_nothing_grows_and_a_good_client_is_served_whatever_the_others_do() -> None:
    rows = table(soak(60 * MINUTES, "mnist"))

    assert not [row for row in rows if not row.holds]
