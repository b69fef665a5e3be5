"""What a request comes to when its handler fails."""

import asyncio

import pytest
from aiohttp import ClientConnectionResetError, web
from aiohttp.test_utils import make_mocked_request

from vitcam.web.requests.middleware import errors_as_json


def test_a_client_that_leaves_while_its_answer_begins_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        raise ClientConnectionResetError("Cannot write to closing transport")

    async def ask() -> None:
        await errors_as_json(make_mocked_request("GET", "/stream"), handler)

    with pytest.raises(ClientConnectionResetError):
        asyncio.run(ask())
    assert not caplog.records
