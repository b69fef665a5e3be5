"""What of a camera's address may be shown."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitcam.redaction import redacted


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("rtsp://admin:hunter2@camera:554/live", "rtsp://***@camera:554/live"),
        ("rtsp://admin:p@ss@camera/live", "rtsp://***@camera/live"),
        ("http://admin@camera/", "http://***@camera/"),
        # nobody escaped the password
        ("rtsp://admin:hun/ter2@camera/live", "rtsp://***@camera/live"),
        ("rtsp://admin:hun#ter2@camera/live", "rtsp://***@camera/live"),
        ("rtsp://admin:hun?ter2@camera/live", "rtsp://***@camera/live"),
        ("rtsp://admin:12/34@camera/live", "rtsp://***@camera/live"),
        ("rtsp://admin:a@b/c@camera/live", "rtsp://***@camera/live"),
        # the scheme is mistyped, or missing
        ("admin:hunter2@camera/live", "***@camera/live"),
        ("//admin:hunter2@camera/live", "//***@camera/live"),
        ("rtsp:/admin:hunter2@camera/live", "rtsp:/***@camera/live"),
        ("rtsp:admin:hunter2@camera/live", "rtsp:***@camera/live"),
        ("rtps://admin:hunter2@camera/live", "rtps://***@camera/live"),
        # in the query
        ("http://camera/v?user=admin&pwd=hunter2&channel=1", "http://camera/v?user=***&pwd=***&channel=1"),
        ("http://camera/v?Token=abc#x", "http://camera/v?Token=***"),
        ("http://camera/v?channel=1&psw=hun&ter2", "http://camera/v?channel=1&psw=***"),
        ("http://camera/v?accessKey=hunter2&q=1", "http://camera/v?accessKey=***&q=1"),
        ("http://camera/v?api_key=hunter2&q=1", "http://camera/v?api_key=***&q=1"),
        ("http://camera/v?X-Amz-Signature=hunter2&q=1", "http://camera/v?X-Amz-Signature=***&q=1"),
        ("http://camera/v?PASSWD=hunter2", "http://camera/v?PASSWD=***"),
        ("http://camera/v?u=admin&p=hunter2&c=1", "http://camera/v?u=***&p=***&c=1"),
        ("http://camera/v?token=hunter_a=2==&q=1", "http://camera/v?token=***&q=1"),
        ("http://camera/v?auth[secret]=hunter2&q=1", "http://camera/v?auth[secret]=***&q=1"),
        ("http://camera/v#access_token=hunter2", "http://camera/v#access_token=***"),
        # in the path
        (
            "rtsp://camera:554/user=admin_password=hunter2_channel=1_stream=0.sdp?real_stream",
            "rtsp://camera:554/user=***_password=***_channel=1_stream=0.sdp?real_stream",
        ),
        ("rtsp://camera/user=admin_password=hun_ter2_channel=1", "rtsp://camera/user=***_password=***_channel=1"),
        ("rtsp://camera/live;pass=hunter2;channel=1", "rtsp://camera/live;pass=***;channel=1"),
        ("rtsp://camera/user=admin,secret=hunter2,q=1", "rtsp://camera/user=***,secret=***,q=1"),
        ("rtsp://camera/auth=hunter2/live?channel=1", "rtsp://camera/auth=***?channel=1"),
        # an @ that belongs to neither
        ("http://camera/v?channel=1&pwd=hun@ter2", "http://***"),
        ("rtsp://admin:hun&key=ter2@camera/live", "rtsp://***"),
        # one address inside another
        ("http://proxy/?url=rtsp://admin:hunter2@camera/", "http://***@camera/"),
        ("http://proxy/?url=rtsp%3A%2F%2Fadmin%3Ahunter2%40camera%2F", "http://***@camera/"),
        ("http://proxy/?to=%252Fpassword%253Dhunter2", "http://proxy/?to=/password=***"),
        # nothing to hide
        ("http://camera/home?colour=1", "http://camera/home?colour=1"),
        ("http://camera/a%20b?c=%26d", "http://camera/a%20b?c=%26d"),
        ("/dev/v4l/by-id/usb@1", "/dev/v4l/by-id/usb@1"),
        ("v4l2:/dev/v4l/by-path/usb-0:1.0@1", "v4l2:/dev/v4l/by-path/usb-0:1.0@1"),
        ("/photos/user=1/12:30@home.jpg", "/photos/user=1/12:30@home.jpg"),
        ("photos/12:30@home.jpg", "photos/12:30@home.jpg"),
        ("demo", "demo"),
        ("", ""),
    ],
)
def test_user_password_and_tokens_are_never_shown(uri: str, expected: str) -> None:
    assert redacted(uri) == expected


NAMES = ("password", "pass", "passwd", "pwd", "psw", "accessKey", "api_key", "token", "auth", "secret", "key", "KEY")
secrets = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="=%"), min_size=1).map(
    lambda text: f"Hunter{text}Two"
)
forms = st.sampled_from(
    [
        "rtsp://admin:{secret}@camera:554/live?channel=1",
        "https://{secret}@camera/live",
        "rtps:/admin:{secret}@camera",
        "admin:{secret}@camera/live",
        "http://camera/v?channel=1&{name}={secret}",
        "http://camera/v?{name}={secret}&channel=1",
        "rtsp://camera/user=admin_{name}={secret}_channel=1",
        "rtsp://camera/live;{name}={secret}",
        "rtsp://camera/{name}={secret}/live",
    ]
)


@given(form=forms, name=st.sampled_from(NAMES), secret=secrets, escaped=st.booleans())
def test_no_part_of_a_password_survives_in_whatever_address(form: str, name: str, secret: str, escaped: bool) -> None:
    said = redacted(form.format(name=name, secret=quote(secret, safe="") if escaped else secret))

    assert "Hunter" not in said
    assert "Two" not in said
    assert redacted(said) == said
