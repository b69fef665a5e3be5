"""The address of a picture, before anything is asked."""

import pytest

from vitcam.errors import UsageError
from vitcam.fetch.picture_url import PictureUrl

GOOD = {
    "https://example.org/a/cat.jpg?w=3#top": ("https", "example.org", 443, "/a/cat.jpg?w=3"),
    "  http://EXAMPLE.org  ": ("http", "example.org", 80, "/"),
    "http://example.org:443/ä b".replace(" ", ""): ("http", "example.org", 443, "/%C3%A4b"),
    "https://bücher.example/%C3%A4": ("https", "xn--bcher-kva.example", 443, "/%C3%A4"),
    "http://[2606:4700::1]/x": ("http", "2606:4700::1", 80, "/x"),
    "http://１２７.0.0.1/": ("http", "127.0.0.1", 80, "/"),
    "http://127。0。0。1/": ("http", "127.0.0.1", 80, "/"),
}
BAD = {
    "file:///etc/passwd": "'file'",
    "ftp://example.org/cat.jpg": "'ftp'",
    "gopher://127.0.0.1:25/_HELO": "'gopher'",
    "dict://127.0.0.1:11211/stats": "'dict'",
    "data:image/png;base64,AAAA": "'data'",
    "javascript:alert(1)": "'javascript'",
    "//example.org/cat.jpg": "''",
    "cat.jpg": "''",
    "": "''",
    "http://user@example.org/": "a user or a password",
    "http://example.org@127.0.0.1/": "a user or a password",
    "http://example.org:80@127.0.0.1/": "a user or a password",
    "http://@127.0.0.1/": "a user or a password",
    "http://example.org:8080/": "port 8080",
    "http://example.org:0/": "port 0",
    "https://example.org:22/": "port 22",
    "http://example.org:99999/": "not a valid address",
    "http://example.org:1e2/": "not a valid address",
    "http://[::1/": "not a valid address",
    "http:///cat.jpg": "no host",
    "http://:80/": "no host",
    "http://[fe80::1%25eth0]/": "no host",
    "http://exa%6dple.org/": "no host",
    "http://" + "a" * 64 + "ü.example/": "no host",
    "http://example.org\\@127.0.0.1/": "a backslash",
    "http://example.org/a b": "a space",
    "http://example.org/\r\nHost:x": "a control character",
    "http://exam\tple.org/": "a control character",
    "http://example.org/\u202ecat": "a control character",
    "http://example.org/" + "a" * 3000: "2,048",
}


@pytest.mark.parametrize("text", GOOD)
def test_an_address_by_http_is_taken_apart(text: str) -> None:
    url = PictureUrl.of(text)

    assert (url.parts.scheme, url.host, url.parts.port, url.target) == GOOD[text]


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:40])
def test_anything_else_is_refused_by_what_it_has(text: str) -> None:
    with pytest.raises(UsageError, match=BAD[text]):
        PictureUrl.of(text)


def test_a_redirect_is_an_address_like_any_other() -> None:
    url = PictureUrl.of("https://example.org/a/b.jpg")

    assert url.leads_to("../c.png").parts.geturl() == "https://example.org:443/c.png"
    assert url.leads_to("//other.example/c.png").host == "other.example"
    for target in ("file:///etc/passwd", "http://example.org:22/", "http://a@b/", "gopher://x/", "http://[::1/"):
        with pytest.raises(UsageError):
            url.leads_to(target)
