"""Paths and sites in the settings."""

import pytest

from vitcam.config.base_path import OWN_PATHS, is_base_path
from vitcam.config.validators import is_duration, is_site, seconds_of
from vitcam.web.route_table import ROUTES


@pytest.mark.parametrize("path", ["/cameras/vitcam", "/vitcam/", "/a", "/a.b/c-d_e~f", "/..a/b..", "/", "/pages"])
def test_a_base_path_is_plain_words_between_slashes(path: str) -> None:
    assert is_base_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "cameras",
        "//evil.example",
        "/a//b",
        "/a/../b",
        "/a/..",
        "/.",
        "/a/./b",
        "/a b",
        "/a;b",
        "/a%2e",
        "/ä",
        "/a\n",
        "/a?b",
        "/a#b",
        "/a\\b",
        "https://evil.example",
        "javascript:alert(1)",
        "/" + 200 * "a",
        "/api",
        "/page/x",
        "/login/",
        "/a\r\nX: y",
    ],
)
def test_a_path_that_a_browser_or_a_cookie_could_read_otherwise_is_none(path: str) -> None:
    assert not is_base_path(path)


def test_a_base_path_begins_with_no_path_of_the_interface() -> None:
    assert {route.path.split("/")[1] for route in ROUTES if route.path != "/"} <= set(OWN_PATHS)


@pytest.mark.parametrize(
    "site",
    [
        "https://home.example",
        "http://192.168.1.5:8123",
        "https://[fd00::1]:8443",
        "http://homeassistant",
        "https://Home.Example/",
    ],
)
def test_a_site_is_scheme_host_and_port(site: str) -> None:
    assert is_site(site)


@pytest.mark.parametrize(
    "site",
    [
        "home.example",
        "*",
        "'none'",
        "https://*.home.example",
        "https://",
        "https://a b",
        "https://a;script-src *",
        "https://a/b",
        "ftp://a",
        "https://a:0",
        "https://a:99999",
        "https://a:x",
        "https://user@a",
        "data:",
        "https:",
        "https://a,https://b",
        "https://a\n",
    ],
)
def test_what_a_browser_does_not_compare_as_a_site_is_none(site: str) -> None:
    assert not is_site(site)


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
