"""The way from one stage to the next."""

import threading

from tests.eventually import eventually
from tests.pipelines import PATIENCE_S
from vitcam.slot import Handover


def test_a_live_value_replaces_one_that_was_not_read() -> None:
    handover: Handover[int] = Handover(threading.Event())
    passed = [handover.put(value, live=True) for value in (1, 2, 3)]
    handover.close()

    assert passed == [True, True, True]
    assert list(handover) == [3]
    assert handover.dropped == 2


def test_every_value_of_a_file_is_waited_for() -> None:
    handover: Handover[int] = Handover(threading.Event())
    read: list[int] = []
    reader = threading.Thread(target=lambda: read.extend(handover), daemon=True)
    reader.start()
    passed = all(handover.put(value, live=False) for value in range(50))
    all_read = eventually(lambda: len(read) == 50)
    handover.close()
    reader.join(PATIENCE_S)

    assert passed
    assert all_read
    assert read == list(range(50))
    assert handover.dropped == 0
    assert handover.closed


def test_a_writer_that_waits_reports_progress_and_ends_when_the_pipeline_stops() -> None:
    stopping = threading.Event()
    handover: Handover[int] = Handover(stopping)
    handover.put(1, live=False)

    assert not handover.put(2, live=False, waiting=stopping.set), "nobody reads"
    assert not handover.put(3, live=True)
    assert list(handover) == [], "a reader ends, too"
