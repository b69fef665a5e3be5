"""What the headers of a request say."""

import base64

import pytest

from vitcam.access.credentials import Credentials, read_credentials


def encoded(text: str, charset: str = "utf-8") -> str:
    return base64.b64encode(text.encode(charset)).decode()


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (f"Basic {encoded('vitcam:pass:word')}", Credentials("vitcam", "pass:word")),
        (f"basic  {encoded('vitcam:ünï')}", Credentials("vitcam", "ünï")),
        (f"BASIC {encoded('vitcam:ünï', 'latin-1')}", Credentials("vitcam", "ünï")),
        (f"Basic {encoded(':x')}", Credentials("", "x")),
        (f"Basic {encoded('no colon')}", Credentials()),
        ("Basic", Credentials()),
        ("Basic ====", Credentials()),
        ("Bearer vitcam_abc", Credentials(token="vitcam_abc")),
        ("bearer   vitcam_abc ", Credentials(token="vitcam_abc")),
        ("Digest username=x", Credentials()),
        ("", Credentials()),
    ],
)
def test_a_header_shows_a_password_or_a_token_or_nothing(header: str, found: Credentials) -> None:
    assert read_credentials([header], None) == found


def test_several_headers_show_nothing_but_the_cookie() -> None:
    both = [f"Basic {encoded('vitcam:x')}", "Bearer y"]

    assert read_credentials(both, "session") == Credentials(session="session")
    assert read_credentials([], None) == Credentials()
