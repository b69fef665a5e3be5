"""Tasks on several threads: the order of their results, and how many are started ahead."""

import threading
from collections.abc import Callable, Generator, Iterator
from functools import partial

import pytest

from tests.eventually import eventually
from vitcam.threads.ordered_pool import Neighbour, StartedTask, SteppedTask, Task, in_order

PATIENCE_S = 30.0


def task(finish: Callable[[], int], size: int = 0) -> Task[str, int]:
    return lambda: StartedTask(size, lambda resource: finish())


def test_results_come_in_the_order_of_the_tasks_however_long_each_takes() -> None:
    second_is_done = threading.Event()

    def first() -> int:
        assert second_is_done.wait(PATIENCE_S), "no other thread works beside the first task"
        return 1

    def second() -> int:
        second_is_done.set()
        return 2

    assert list(in_order(iter([task(first), task(second), task(lambda: 3)]), ["a", "b"])) == [1, 2, 3]


def test_each_thread_keeps_to_its_own_resource() -> None:
    users: dict[str, set[int]] = {"a": set(), "b": set()}
    both_are_busy = threading.Barrier(2)

    def use(resource: str) -> None:
        users[resource].add(threading.get_ident())
        both_are_busy.wait(PATIENCE_S)

    list(in_order(iter([lambda: StartedTask(0, use)] * 10), ["a", "b"]))

    assert all(len(threads) == 1 for threads in users.values())
    assert users["a"].isdisjoint(users["b"])


def test_tasks_are_started_one_after_the_other_as_a_video_must_be() -> None:
    busy = threading.Lock()

    def begin(number: int) -> StartedTask[str, int]:
        assert busy.acquire(blocking=False), "two are begun at once"
        busy.release()
        return StartedTask(0, lambda resource: number)

    tasks = (partial(begin, number) for number in range(200))

    assert list(in_order(tasks, ["a", "b", "c"])) == list(range(200))


def test_no_more_than_a_few_tasks_are_started_ahead_for_each_thread() -> None:
    first_may_end, begun = threading.Event(), []
    enough = threading.Semaphore(0)

    def tasks() -> Iterator[Task[str, int]]:
        yield task(lambda: int(first_may_end.wait(PATIENCE_S)))
        for number in range(100):
            begun.append(number)
            enough.release()
            yield task(lambda: 0)

    results = in_order(tasks(), ["a", "b"])
    reader = threading.Thread(target=lambda: list(results))
    reader.start()
    for _ in range(63):
        assert enough.acquire(timeout=PATIENCE_S)
    assert not enough.acquire(timeout=0.2), f"{len(begun)} tasks were begun beside the first"
    first_may_end.set()
    reader.join(PATIENCE_S)

    assert len(begun) == 100, "once it can be fetched, the rest goes on"


def test_started_tasks_whose_results_are_not_used_keep_within_the_bytes_allowed() -> None:
    lock, held, most = threading.Lock(), [0], [0]

    def finish(size: int) -> int:
        with lock:
            held[0] += size
            most[0] = max(most[0], held[0])
        return size

    sizes = [40, 70, 20, 30, 10, 60, 90, 5] * 5
    for size in in_order(iter([task(partial(finish, size), size) for size in sizes]), ["a", "b", "c"], max_bytes=100):
        with lock:
            held[0] -= size

    assert most[0] <= 100


def test_a_task_that_is_larger_than_all_bytes_allowed_is_done_alone() -> None:
    lock, busy, beside = threading.Lock(), [0], []

    def finish(size: int) -> int:
        with lock:
            busy[0] += 1
            if size > 100:
                beside.append(busy[0])
        return size

    sizes = [10, 10, 500, 10, 10, 500, 500, 10]
    fetched = []
    for size in in_order(iter([task(partial(finish, size), size) for size in sizes]), ["a", "b"], max_bytes=100):
        fetched.append(size)
        with lock:
            busy[0] -= 1

    assert fetched == sizes
    assert beside == [1, 1, 1]


@pytest.mark.parametrize("where", ["the work", "the beginning of it", "the tasks themselves"])
def test_an_error_is_raised_after_the_results_before_it(where: str) -> None:
    def fail() -> int:
        raise ZeroDivisionError

    def tasks() -> Iterator[Task[str, int]]:
        yield task(lambda: 1)
        yield task(lambda: 2)
        if where == "the tasks themselves":
            fail()
        yield task(fail) if where == "the work" else lambda: StartedTask(fail(), lambda resource: 0)
        yield task(lambda: 4)

    results = in_order(tasks(), ["a", "b"])

    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_reader_that_stops_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    results = in_order(iter([task(lambda: 1)] * 10_000), ["a", "b"])
    next(results)

    results.close()

    assert threading.active_count() == before


def neighbour(number: int, done: list[tuple[str, int]], size: int = 0) -> Task[str, int]:
    """A task of three steps, which notes what is done."""

    def steps(resource: str) -> Generator[None, None, int]:
        for step in ("decode", "run", "read"):
            done.append((step, number))
            if step != "read":
                yield
        return number

    return Neighbour(lambda: SteppedTask(size, steps))


def test_neighbours_are_done_together_step_by_step() -> None:
    done: list[tuple[str, int]] = []

    assert list(in_order((neighbour(number, done) for number in range(8)), ["a"])) == list(range(8))

    assert done == [(step, number) for step in ("decode", "run", "read") for number in range(8)]


def test_a_neighbour_that_fails_does_so_in_its_turn_and_the_others_are_done() -> None:
    done: list[tuple[str, int]] = []

    def fail(resource: str) -> Generator[None, None, int]:
        yield
        raise ZeroDivisionError

    tasks: list[Task[str, int]] = [neighbour(0, done), Neighbour(lambda: SteppedTask(0, fail)), neighbour(2, done)]
    results = in_order(iter(tasks), ["a"])

    assert next(results) == 0
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert ("read", 2) in done


def test_a_task_that_may_wait_to_start_does_not_hold_up_those_before_it() -> None:
    done: list[tuple[str, int]] = []
    first_is_known = threading.Event()

    def waits() -> StartedTask[str, int]:
        assert first_is_known.wait(PATIENCE_S), "the answers before it wait, too"
        return StartedTask(0, lambda resource: 2)

    results = in_order(iter([neighbour(0, done), neighbour(1, done), waits]), ["a"])

    assert next(results) == 0
    first_is_known.set()
    assert list(results) == [1, 2]


def test_a_thread_that_breaks_tells_whoever_fetches_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr("vitcam.threads.ordered_pool._Pool._take", broken)

    with pytest.raises(MemoryError, match="no room"):
        list(in_order(iter([task(lambda: 1)]), ["a", "b"]))


def test_threads_end_where_the_system_gives_no_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    begin, before = threading.Thread.start, set(threading.enumerate())

    def second_fails(thread: threading.Thread) -> None:
        if thread.name == "worker 1":
            raise RuntimeError("can't start new thread")
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", second_fails)

    with pytest.raises(RuntimeError, match="new thread"):
        list(in_order(iter([task(lambda: 1)] * 9), ["a", "b"]))
    assert eventually(lambda: set(threading.enumerate()) <= before)


def test_large_neighbours_are_done_one_after_the_other() -> None:
    done: list[tuple[str, int]] = []

    list(in_order((neighbour(number, done, 20 * 2**20) for number in range(4)), ["a"]))

    assert done == [(step, number) for number in range(4) for step in ("decode", "run", "read")]


def test_no_tasks_give_no_results() -> None:
    assert list(in_order(iter(list[Task[str, int]]()), ["a", "b"])) == []
