"""What a request leaves behind when it is over: nothing that only the garbage collector would find."""

import gc
from collections.abc import Iterator

import pytest

from tests.eventually import eventually
from tests.integration.web.test_uploads import photo, post
from vitcam.web.requests.body import Body
from vitcam.web.server import WebServer


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def bodies() -> int:
    return sum(isinstance(each, Body) for each in gc.get_objects())


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("body", [photo(), photo()[:300], b"no picture"])
def test_the_body_of_an_upload_is_gone_with_its_answer(server: WebServer, body: bytes) -> None:
    before = bodies()
    answers = [post(server, body)[0] for _ in range(5)]

    assert set(answers) <= {200, 400}
    assert eventually(lambda: bodies() == before, 5)
