"""What of a camera's address may be shown."""

import pytest

from vitcam.sources.address import Address, shown


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("rtsp://admin:hunter2@camera:554/live", "rtsp://***@camera:554/live"),
        ("rtsp://admin:p@ss@camera/live", "rtsp://***@camera/live"),
        ("http://admin@camera/", "http://***@camera/"),
        ("http://camera/v?user=admin&pwd=hunter2&channel=1", "http://camera/v?user=***&pwd=***&channel=1"),
        ("http://camera/v?Token=abc#x", "http://camera/v?Token=***#x"),
        ("http://camera/@home?monkey=1", "http://camera/@home?monkey=1"),
        ("/dev/v4l/by-id/usb@1", "/dev/v4l/by-id/usb@1"),
        ("demo", "demo"),
    ],
)
def test_user_password_and_tokens_are_never_shown(uri: str, expected: str) -> None:
    assert shown(uri) == expected


def test_an_address_is_taken_apart_with_its_password_unescaped() -> None:
    address = Address.of("http://admin:p%40ss@camera.local:8080/stream?a=b")

    assert address == Address("http://camera.local:8080/stream?a=b", "camera.local", 8080, "admin", "p@ss")
