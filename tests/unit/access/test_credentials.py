"""What the headers of a request say."""

import base64

import pytest

from vitcam.access.credentials import Credentials, cookie_value, read_credentials, read_sessions

SESSION = "s" * 43


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

    assert read_credentials(both, SESSION) == Credentials(sessions=(SESSION,))
    assert read_credentials([], None) == Credentials()


@pytest.mark.parametrize(
    ("cookie", "found"),
    [
        (None, ()),
        ("", ()),
        (SESSION, (SESSION,)),
        (f"{'a' * 43}.{SESSION}", ("a" * 43, SESSION)),
        (f"planted.{SESSION}.", (SESSION,)),
        ("x" * 44, ()),
        (".".join(str(i).zfill(43) for i in range(20)), tuple(str(i).zfill(43) for i in range(12, 20))),
    ],
)
def test_a_cookie_holds_a_session_of_each_vitcam_on_the_machine(cookie: str | None, found: tuple[str, ...]) -> None:
    assert read_sessions(cookie) == found
    assert read_sessions(cookie_value(found)) == found
