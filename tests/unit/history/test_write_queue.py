"""What waits to be written: the newest of each event, with the picture that came last."""

import itertools
from concurrent.futures import Future
from dataclasses import replace
from typing import Literal

import pytest

from tests.histories import SUMMARY, change
from vitcam.history.write_queue import MOST, WriteBatch, WriteQueue, WriteTask, merged

Phase = Literal["new", "update", "end"]
OTHER_SUMMARY = replace(SUMMARY, size=(640, 480))


@pytest.mark.parametrize("phases", [*itertools.product(["new", "update"], ["update", "end"])])
def test_a_newer_change_without_a_picture_keeps_the_one_that_waits_and_its_summary(phases: tuple[Phase, Phase]) -> None:
    waits = change("a", phases[0], jpeg=b"waits", summary=OTHER_SUMMARY)
    both = merged(waits, change("a", phases[1], "bowl"))

    assert both.jpeg == b"waits"
    assert both.event.summary is OTHER_SUMMARY
    assert both.event.label == "bowl"
    assert both.phase == ("new" if phases == ("new", "update") else phases[1])


def test_a_newer_picture_takes_the_place_of_the_one_that_waits() -> None:
    both = merged(change("a", "new", jpeg=b"waits"), change("a", "update", jpeg=b"newer", summary=OTHER_SUMMARY))

    assert (both.jpeg, both.event.summary, both.phase) == (b"newer", OTHER_SUMMARY, "new")


def test_a_change_that_was_given_back_keeps_its_picture_under_newer_ones() -> None:
    found = WriteQueue()
    found.put(change("a", "new", jpeg=b"first"))
    batch = found.take(0.0)
    found.put(change("a", "update", "bowl"))
    found.put(change("b", "new", jpeg=b"other"))
    found.give_back(batch)
    found.put(change("a", "end", "bowl"))

    taken = {each.event.id: each for each in found.take(0.0).changes}
    assert [*taken] == ["a", "b"]
    assert (taken["a"].jpeg, taken["a"].event.label, taken["a"].phase) == (b"first", "bowl", "end")
    assert taken["b"].jpeg == b"other"
    assert found.take(0.0) == WriteBatch()


def test_a_full_inbox_still_takes_what_belongs_to_an_event_that_waits() -> None:
    found = WriteQueue()
    for number in range(MOST):
        found.put(change(str(number), "new"))
    found.put(change("too much", "new", jpeg=b"dropped"))
    found.put(change("0", "update", jpeg=b"picture"))

    assert found.dropped == 1
    assert found.take(0.0).changes[0].jpeg == b"picture"


def test_the_end_of_an_event_is_taken_however_much_waits_if_its_beginning_was() -> None:
    found = WriteQueue()
    for name in "abc":
        found.put(change(name, "new"))
    found.take(0.0)
    for number in range(MOST + 6):
        found.put(change(str(number), "new"))
    for name in ("a", "b", "c", str(MOST + 5)):
        found.put(change(name, "update"))
        found.put(change(name, "end"))

    assert found.dropped == 6
    assert [(each.event.id, each.phase) for each in found.take(0.0).changes[MOST:]] == [(name, "end") for name in "abc"]


def test_the_last_word_on_an_action_that_waited_is_taken_however_much_waits() -> None:
    def note(rule: str, phase: str) -> WriteTask:
        return WriteTask(lambda _: True, Future(), awaited=False, note=(rule, phase))

    found = WriteQueue()
    assert found.submit(note("waits", "new"))
    found.take(0.0)
    taken = sum(found.submit(note(f"{number}", "end")) for number in range(2000))

    assert taken == 1024
    assert found.submit(note("waits", "end"))
    assert not found.submit(note("waits", "end"))
    assert found.dropped == 2000 - 1024 + 1
