"""A camera's address, taken apart."""

import pytest

from vitcam.errors import UsageError
from vitcam.sources.network.address import Address


def test_an_address_is_taken_apart_with_its_password_unescaped() -> None:
    address = Address.of("http://admin:p%40ss@camera.local:8080/stream?a=b")

    assert address == Address("http://camera.local:8080/stream?a=b", "camera.local", 8080, "admin", "p@ss")


@pytest.mark.parametrize(
    "uri", ["rtsp://admin:hun/ter2@camera/", "http://admin:hunter2@[camera/", "http://a\u2100:pw@b/"]
)
def test_what_is_no_address_is_refused_without_a_word_of_it_and_with_a_remedy(uri: str) -> None:
    with pytest.raises(UsageError) as refused:
        Address.of(uri)

    assert "hun" not in str(refused.value)
    assert "pw" not in str(refused.value)
    assert "%2F for /" in str(refused.value)
