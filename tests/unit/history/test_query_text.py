"""Times as people write them."""

import subprocess
import sys
import time

import pytest

from vitcam.errors import UsageError
from vitcam.history.query_text import read_time

_AT_NOON = """
from vitcam.history.query_text import read_time
print(*(read_time("since", text) // 1000 for text in ("2026-03-29T00:00", "today", "yesterday", "12h", "3d", "90min")))
"""


def test_days_begin_at_midnight_here_and_ages_count_hours_also_where_the_clocks_change() -> None:
    """On 30 March 2026 in Berlin, whose day before had 23 hours."""
    ran = subprocess.run(
        ["faketime", "2026-03-30 12:00:00", sys.executable, "-c", _AT_NOON],
        env={"TZ": "Europe/Berlin", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    day_before, today, yesterday, half_a_day, three_days, while_ago = map(int, ran.stdout.split())

    assert yesterday == day_before
    assert today - yesterday == 23 * 3600
    assert abs(half_a_day - today) <= 5
    assert abs(half_a_day - three_days - 60 * 3600) <= 5
    assert abs(while_ago - half_a_day - 10.5 * 3600) <= 5


@pytest.mark.parametrize("text", ["tomorrow", "3w", "-3d", "9999999d", "12 hours", "d", ""])
def test_what_is_no_time_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError, match=r"since.*yesterday.*3d"):
        read_time("since", text)


def test_an_age_longer_than_time_itself_gives_a_time_before_all_events() -> None:
    assert read_time("since", "999999d") < time.time() * 1000
