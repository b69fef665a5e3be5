"""Jobs done side by side: what comes out, in which order, and how far ahead of it anybody runs."""

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from vitcam.commands.classify.in_order import Job, Work, in_order

PATIENCE_S = 30.0


def job(do: Callable[[], int], weight: int = 0) -> Job[str, int]:
    return lambda: Work(weight, lambda tool: do())


def test_results_come_in_the_order_of_the_jobs_however_long_each_takes() -> None:
    second_is_done = threading.Event()

    def first() -> int:
        assert second_is_done.wait(PATIENCE_S), "nobody works beside the first job"
        return 1

    def second() -> int:
        second_is_done.set()
        return 2

    assert list(in_order(iter([job(first), job(second), job(lambda: 3)]), ["a", "b"])) == [1, 2, 3]


def test_each_thread_keeps_to_its_own_tool() -> None:
    users: dict[str, set[int]] = {"a": set(), "b": set()}
    both_are_busy = threading.Barrier(2)

    def use(tool: str) -> None:
        users[tool].add(threading.get_ident())
        both_are_busy.wait(PATIENCE_S)

    list(in_order(iter([lambda: Work(0, use)] * 10), ["a", "b"]))

    assert all(len(threads) == 1 for threads in users.values())
    assert users["a"].isdisjoint(users["b"])


def test_jobs_are_begun_one_after_the_other_as_a_video_must_be() -> None:
    busy = threading.Lock()

    def begin(number: int) -> Work[str, int]:
        assert busy.acquire(blocking=False), "two are begun at once"
        busy.release()
        return Work(0, lambda tool: number)

    jobs = (partial(begin, number) for number in range(200))

    assert list(in_order(jobs, ["a", "b", "c"])) == list(range(200))


def test_nobody_runs_further_ahead_than_a_few_jobs_for_each_thread() -> None:
    first_may_end, begun = threading.Event(), []
    enough = threading.Semaphore(0)

    def jobs() -> Iterator[Job[str, int]]:
        yield job(lambda: int(first_may_end.wait(PATIENCE_S)))
        for number in range(100):
            begun.append(number)
            enough.release()
            yield job(lambda: 0)

    results = in_order(jobs(), ["a", "b"])
    reader = threading.Thread(target=lambda: list(results))
    reader.start()
    for _ in range(7):
        assert enough.acquire(timeout=PATIENCE_S)
    assert not enough.acquire(timeout=0.2), f"{len(begun)} jobs were begun beside the first"
    first_may_end.set()
    reader.join(PATIENCE_S)

    assert len(begun) == 100, "once it can be fetched, the rest goes on"


def test_work_that_is_begun_and_not_fetched_weighs_no_more_than_there_is_room_for() -> None:
    lock, held, most = threading.Lock(), [0], [0]

    def do(weight: int) -> int:
        with lock:
            held[0] += weight
            most[0] = max(most[0], held[0])
        return weight

    weights = [40, 70, 20, 30, 10, 60, 90, 5] * 5
    for weight in in_order(iter([job(partial(do, weight), weight) for weight in weights]), ["a", "b", "c"], room=100):
        with lock:
            held[0] -= weight

    assert most[0] <= 100


def test_work_that_is_heavier_than_all_the_room_is_done_alone() -> None:
    lock, busy, beside = threading.Lock(), [0], []

    def do(weight: int) -> int:
        with lock:
            busy[0] += 1
            if weight > 100:
                beside.append(busy[0])
        return weight

    weights = [10, 10, 500, 10, 10, 500, 500, 10]
    fetched = []
    for weight in in_order(iter([job(partial(do, weight), weight) for weight in weights]), ["a", "b"], room=100):
        fetched.append(weight)
        with lock:
            busy[0] -= 1

    assert fetched == weights
    assert beside == [1, 1, 1]


@pytest.mark.parametrize("where", ["the work", "the beginning of it", "the jobs themselves"])
def test_an_error_is_raised_after_the_results_before_it(where: str) -> None:
    def fail() -> int:
        raise ZeroDivisionError

    def jobs() -> Iterator[Job[str, int]]:
        yield job(lambda: 1)
        yield job(lambda: 2)
        if where == "the jobs themselves":
            fail()
        yield job(fail) if where == "the work" else lambda: Work(fail(), lambda tool: 0)
        yield job(lambda: 4)

    results = in_order(jobs(), ["a", "b"])

    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_whoever_leaves_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    results = in_order(iter([job(lambda: 1)] * 10_000), ["a", "b"])
    next(results)

    results.close()

    assert threading.active_count() == before


def test_no_jobs_give_no_results() -> None:
    assert list(in_order(iter(list[Job[str, int]]()), ["a", "b"])) == []
