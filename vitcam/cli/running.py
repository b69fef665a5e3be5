"""Asks the daemon that runs on this machine, as its owner may: with a token of its own, which is revoked at the end."""

import json
import os
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

from vitcam.access.tokens import Scope, create_token, load_tokens, revoke_token
from vitcam.daemon.serving import address_in
from vitcam.errors import UsageError, VitcamError
from vitcam.storage.owner import OwnedFolder

_TIMEOUT_S = 30.0
_NOTICED_S = 5.0  # the daemon reads tokens again every second
_UNAUTHORISED = 401
_OF_A_COMMAND = re.compile(r"command ([0-9]{1,10})")


class RunningDaemon:
    """Its HTTP interface. `with running(folder) as daemon`."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        context = ssl.create_default_context()
        context.check_hostname = False  # the certificate is that of another name, and this is the loopback
        context.verify_mode = ssl.CERT_NONE
        no_proxy = urllib.request.ProxyHandler({})
        self._opener = urllib.request.build_opener(no_proxy, urllib.request.HTTPSHandler(context=context))

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """The JSON of an answer. Raises UsageError for a refusal, VitcamError where no answer comes."""
        noticed_s = time.monotonic() + _NOTICED_S
        while True:
            status, answer = self._answer(method, path, body)
            if status != _UNAUTHORISED or time.monotonic() > noticed_s:
                break
            time.sleep(0.2)
        if status >= 300:
            raise UsageError(str(answer.get("error", f"the daemon answers {status}")))
        return answer

    def _answer(self, method: str, path: str, body: object) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, headers, method=method)  # noqa: S310 - http
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, dict(json.load(answer))
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, _record_in(refusal.read())
        except (OSError, HTTPException, ValueError) as error:
            raise VitcamError(f"the vitcam at {self._url} does not answer ({error}); is it still running?") from error


@contextmanager
def running(place: OwnedFolder) -> Iterator[RunningDaemon]:
    """The daemon that uses a state folder. Raises UsageError where none runs there, or it serves no page."""
    name = f"command {os.getpid()}"
    with place.acting() as folder:
        url = address_in(folder)
        if url is None:
            raise UsageError(
                f"no vitcam with a page runs on the state folder {place.folder}; start one with `vitcam run`, or name "
                "the service with --service"
            )
        _forget_killed(folder)
        token = create_token(folder, name, Scope.CONTROL)
    try:
        yield RunningDaemon(url, token)
    finally:
        with place.acting() as folder:
            revoke_token(folder, name)


def _forget_killed(folder: Path) -> None:
    """Revoke the tokens of commands that could not do it themselves."""
    for token in load_tokens(folder):
        found = _OF_A_COMMAND.fullmatch(token.name)
        if found and (int(found[1]) == os.getpid() or not Path("/proc", found[1]).exists()):
            revoke_token(folder, token.name)


def _record_in(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
