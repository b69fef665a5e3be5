import threading
import time

from vitcam.slot import Slot


def test_a_reader_gets_the_newest_value_and_the_replaced_ones_are_counted() -> None:
    slot: Slot[int] = Slot()
    for value in range(5):
        slot.put(value)

    assert slot.get(after=0, timeout_s=0) == (5, 4)
    assert slot.dropped == 4


def test_a_value_is_given_once_to_a_reader_who_names_what_it_has() -> None:
    slot: Slot[str] = Slot()
    slot.put("a")
    version, _ = slot.get(after=0, timeout_s=0) or (0, "")

    assert slot.get(after=version, timeout_s=0.01) is None


def test_a_reader_without_news_waits_instead_of_spinning() -> None:
    slot: Slot[str] = Slot()
    slot.put("a")
    started = time.monotonic()

    assert slot.get(after=1, timeout_s=0.2) is None
    assert time.monotonic() - started > 0.15


def test_a_lossless_writer_waits_until_its_value_was_taken() -> None:
    slot: Slot[int] = Slot()
    assert slot.put_when_taken(1, timeout_s=1)
    assert not slot.put_when_taken(2, timeout_s=0.02)

    threading.Timer(0.05, slot.get, args=(0, 1)).start()

    assert slot.put_when_taken(2, timeout_s=5)
    assert slot.dropped == 0


def test_closing_wakes_a_waiting_reader_at_once() -> None:
    slot: Slot[int] = Slot()
    threading.Timer(0.05, slot.close).start()
    started = time.monotonic()

    assert slot.get(after=0, timeout_s=30) is None
    assert time.monotonic() - started < 10


def test_subscribers_hear_of_every_put_until_they_unsubscribe() -> None:
    slot: Slot[int] = Slot()
    heard: list[int] = []
    unsubscribe = slot.subscribe(lambda: heard.append(slot.version))
    slot.put(1)
    slot.put(2)
    unsubscribe()
    slot.put(3)

    assert heard == [1, 2]


def test_a_reader_waits_for_a_value_where_the_newest_was_cleared() -> None:
    slot: Slot[str] = Slot()
    slot.put("old")
    slot.clear()
    threading.Timer(0.1, slot.put, ("new",)).start()

    assert slot.get(after=0, timeout_s=10) == (2, "new")


def test_many_writers_and_a_reader_lose_nothing_but_what_is_counted() -> None:
    slot: Slot[int] = Slot()

    def write() -> None:
        for i in range(500):
            slot.put(i)

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    version = seen = 0
    while (found := slot.get(version, 0.5)) is not None:
        version, seen = found[0], seen + 1
    for writer in writers:
        writer.join()

    assert version == 2000
    assert seen + slot.dropped == 2000


def test_a_value_is_revised_in_one_step_and_whoever_waits_is_told() -> None:
    slot: Slot[int] = Slot()
    rung: list[int | None] = []
    slot.subscribe(lambda: rung.append(slot.peek()))
    slot.revise(lambda before: 1 if before is None else before + 1)
    slot.revise(lambda before: 1 if before is None else before + 1)

    assert rung == [1, 2]
    assert slot.get(after=1, timeout_s=0) == (2, 2)


def test_a_value_that_comes_after_the_close_is_not_kept() -> None:
    slot: Slot[int] = Slot()
    slot.put(7)
    slot.close()
    slot.put(8)
    slot.revise(lambda _: 9)

    assert slot.peek() == 7
    assert slot.version == 1
