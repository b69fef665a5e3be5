"""What waits for a client that reads slowly."""

import asyncio

import pytest

from vitcam.web.routes.live_events import MOST_UNSENT, EventInbox


async def read(inbox: EventInbox, count: int) -> list[bytes]:
    return [await inbox.next() for _ in range(count)]


def test_a_slow_client_hears_each_begin_and_end_however_often_events_change() -> None:
    async def hears() -> list[bytes]:
        inbox = EventInbox("")
        for number in range(30):
            inbox.put(b"new %d" % number, (f"e{number}", "new"))
        for change in range(20):
            for number in range(30):
                inbox.put(b"change %d of %d" % (change, number), (f"e{number}", ""))
        for number in range(30):
            inbox.put(b"end %d" % number, (f"e{number}", "end"))
        inbox.put(b"an alert")
        inbox.put(b"another alert")
        return await read(inbox, 92)

    assert asyncio.run(hears()) == [
        *(b"new %d" % number for number in range(30)),
        *(b"change 19 of %d" % number for number in range(30)),
        *(b"end %d" % number for number in range(30)),
        b"an alert",
        b"another alert",
    ]


def test_a_client_that_is_too_far_behind_is_disconnected_once_it_has_read_what_waits() -> None:
    async def hears() -> list[bytes]:
        inbox = EventInbox("")
        for number in range(MOST_UNSENT + 1):
            inbox.put(b"%d" % number, (f"e{number}", "new"))
        found = await read(inbox, MOST_UNSENT)
        with pytest.raises(ConnectionResetError, match="does not keep up"):
            await inbox.next()
        return found

    assert asyncio.run(hears()) == [b"%d" % number for number in range(MOST_UNSENT)]
