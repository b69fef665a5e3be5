"""Times as people write them."""

import pytest

from vitcam.config.duration import is_duration, seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3s", 3), ("3", 3), ("0.5s", 0.5), ("500ms", 0.5), ("2m", 120), ("1 h", 3600), (" 24h ", 86400)],
)
def test_a_time_is_read_with_its_unit(text: str, seconds: float) -> None:
    assert seconds_of(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "-3s", "3 weeks", "0", "1ms", "25h", "1e3", "3s3s", "nan", "9" * 5000])
def test_what_is_no_time_or_out_of_range_is_refused_with_the_forms_that_are_allowed(text: str) -> None:
    assert not is_duration(text)
    with pytest.raises(ValueError, match="such as 3s"):
        seconds_of(text)
