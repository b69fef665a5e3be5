"""More connections than a process may have open files."""

import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.integration.web.lines import answer_of, connected, post_head

GET_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
GET_PICTURE = b"GET /snapshot.jpg?width=320 HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def many_files() -> Iterator[None]:
    """For the crowd, which lives in this process."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def limited(running: Daemon, soft: int, hard: int) -> None:
    """Limit the open files of a daemon that has just been started."""
    resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.fault(
    "1,100 unfinished uploads",
    injected="1,100 connections of one address that send no body",
    observed="others are answered; the log has one line",
)
@pytest.mark.usefixtures("many_files")
def test_eleven_hundred_unfinished_bodies_block_no_other_address_and_log_one_line() -> None:
    with daemon("--source", "demo") as running, ExitStack() as stack:
        limited(running, 1024, 1024)
        running.wait_for("ok")
        for _ in range(1100):
            with suppress(ConnectionError):  # it may be refused already
                stack.enter_context(connected(running, post_head("/api/crop", 100), "127.0.0.2"))
        for _ in range(3):
            for request in (GET_HEALTH, GET_PICTURE):
                with connected(running, request) as line:
                    assert answer_of(line)[0] == 200

        assert running.errors().count("too many connections") == 1
        assert len(running.errors()) < 5_000, running.errors()


@pytest.mark.fault(
    "all descriptors are in use",
    injected="a process at its limit of open files",
    observed="one line a minute in the log; it serves again afterwards",
)
@pytest.mark.usefixtures("many_files")
def test_a_process_without_free_files_logs_it_once_a_minute_and_serves_again_afterwards() -> None:
    with daemon("--source", "demo") as running:
        limited(running, 1024, 1024)
        running.wait_for("ok")
        limited(running, 70, 70)  # from now on: what it reckoned with at its start is gone
        with ExitStack() as stack:
            for _ in range(100):
                stack.enter_context(connected(running, GET_HEALTH[:-2]))
            assert eventually(lambda: "too many connections" in running.errors()), running.errors()
            time.sleep(2)  # in which it tries again, twice, and nothing tells of that: this is what is tested
        with connected(running, GET_HEALTH) as line:
            assert answer_of(line)[0] == 200

        assert running.errors().count("too many connections") == 1
        assert len(running.errors()) < 5_000


def test_the_daemon_raises_its_limit_of_open_files_to_the_maximum() -> None:
    with daemon("--source", "demo") as running:
        limited(running, 512, 4096)
        running.wait_for("ok")

        assert resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE) == (4096, 4096)
