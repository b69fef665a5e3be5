"""Requests that schemathesis makes of `/openapi.json`: fitting ones and wrong ones, and whether the answers fit it."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import requests
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode, Response, openapi, serializer
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.fuzz.outcome import Outcome
from tests.fuzz.watch import watched

AnyCase = Case[Any]
_TIMEOUT_S = 30
_CLIENTS = 12
_ENDLESS = ("multipart/x-mixed-replace", "text/event-stream")
_CHECKS: list[Any] = [status_code_conformance, content_type_conformance, response_schema_conformance]
_HTTP_REFUSALS = (400, 405, 413, 414, 431)
"""What the server may say before it looks at the route: not HTTP, another method, too long."""


@serializer("application/zip")
def _as_it_is(_: Any, value: Any) -> bytes:
    """schemathesis knows pictures, and no archives."""
    return value if isinstance(value, bytes) else str(value).encode()


def run(count: int, first_seed: int) -> Outcome:
    """Send about `count` requests, shared among all operations, half of them fitting."""
    outcome = Outcome("described requests")
    with watched(outcome) as running, ThreadPoolExecutor(_CLIENTS) as clients:
        schema = openapi.from_url(f"{running.url}/openapi.json")
        operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
        each = -(-count // (2 * len(operations)))
        sender = _Sender(running.url, outcome)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            for operation in operations:
                cases = _cases(operation, mode, each, first_seed)
                list(clients.map(sender.send, cases))
                outcome.count += len(cases)
    return outcome


def _cases(operation: Any, mode: GenerationMode, count: int, first_seed: int) -> list[AnyCase]:
    """That many, drawn in one go; an operation without parameters has only one fitting request."""
    drawn: list[AnyCase] = []

    @seed(first_seed)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def draw(case: AnyCase) -> None:
        drawn.append(case)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            draw()
        except Exception as error:  # nothing wrong can be made where nothing is taken
            if "NoExamples" not in type(error).__name__ and "Unsatisfiable" not in type(error).__name__:
                raise
    while drawn and len(drawn) < count:
        drawn += drawn[: count - len(drawn)]
    return drawn


class _Sender:
    """Sends requests from several threads. A session serves one of them at a time."""

    def __init__(self, url: str, outcome: Outcome) -> None:
        self._url, self._outcome = url, outcome
        self._sessions: SimpleQueue[requests.Session] = SimpleQueue()
        for _ in range(_CLIENTS):
            self._sessions.put(requests.Session())

    def send(self, case: AnyCase) -> None:
        """Send one, and note what is wrong with the answer."""
        session = self._sessions.get()
        try:
            self._send(session, case)
        finally:
            self._sessions.put(session)

    def _send(self, session: requests.Session, case: AnyCase) -> None:
        try:
            made = case.as_transport_kwargs(base_url=self._url)
            made["headers"] = {name: value for name, value in made["headers"].items() if name != "Accept-Encoding"}
            answer = session.request(**made, timeout=_TIMEOUT_S, stream=True, allow_redirects=False)
        except (requests.exceptions.InvalidHeader, UnicodeError, ValueError):  # cannot be sent by this client
            self._outcome.answers["not sent"] += 1
        except requests.exceptions.ConnectionError as error:
            # the server refuses a body before it has read it, and closes
            self._outcome.answers["closed"] += 1
            if "timed out" in str(error):
                self._outcome.found(self._outcome.count, f"no answer: {case.method} {case.path} {error}")
        else:
            with answer:
                _judge(case, answer, self._outcome)


def _judge(case: AnyCase, answer: requests.Response, outcome: Outcome) -> None:
    status = answer.status_code
    outcome.answers[str(status)] += 1
    if status >= 500 and status != 503:
        outcome.found(outcome.count, f"{status}: {case.as_curl_command()}")
    elif status == 200 and answer.headers.get("Content-Type", "").startswith(_ENDLESS):
        next(answer.iter_content(64), b"")
    elif status not in _HTTP_REFUSALS and case.method.upper() == case.operation.method.upper():
        try:
            answer.content  # noqa: B018 - reads it
            case.validate_response(Response.from_requests(answer, verify=True), checks=_CHECKS)
        except (Failure, FailureGroup) as failure:
            outcome.found(outcome.count, f"{_reason(failure)}: {case.as_curl_command()[:200]}")


def _reason(failure: BaseException) -> str:
    parts = getattr(failure, "exceptions", [failure])
    return "; ".join(f"{type(part).__name__} {str(part)[:200]!r}" for part in parts)
