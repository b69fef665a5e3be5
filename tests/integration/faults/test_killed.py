"""SIGKILL at any moment: `python -m tests.soak.kills --times N` kills as often as it is told to."""

import pytest

from tests.soak.kills import kill_often

TIMES = 30


@pytest.mark.fault(
    "SIGKILL at any moment",
    injected="SIGKILL 30 times, while it starts and while crop, words, tokens and password are changed",
    observed="it starts every time; nothing half-written is read; what was acknowledged is there",
)
@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_daemon_that_is_killed_again_and_again_starts_again_and_has_lost_nothing_acknowledged() -> None:
    done = kill_often(TIMES)

    assert done["killed while it started"] + done["killed while it ran"] == TIMES
    assert done["crops acknowledged"] > 10
    assert done["words acknowledged"] > 10
    assert done["tokens and passwords acknowledged"] > 10
