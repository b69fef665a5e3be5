from collections import Counter
from itertools import pairwise

from vitcam.frames import Place
from vitcam.pipeline.turns import URGENT_TIMES, Turns

FOUR = ("door", "gate", "bench", "road")


def taken(count: int, urgent: tuple[str, ...] = (), names: tuple[str, ...] = FOUR) -> list[str]:
    """The zones that get `count` turns, one every 10 ms."""
    turns, places, hurried = Turns(), [*map(Place, names)], [*map(Place, urgent)]
    return [str(turns.take(places, hurried, 10_000_000 * turn).zone) for turn in range(1, count + 1)]


def longest_wait(order: list[str], zone: str) -> int:
    """In turns, between two of a zone."""
    places = [place for place, name in enumerate(order) if name == zone]
    return max(later - earlier for earlier, later in pairwise(places))


def test_an_urgent_zone_gets_several_times_as_many_turns_as_the_others() -> None:
    counts = Counter(taken(600, urgent=("bench",)))

    others = [counts[zone] for zone in FOUR if zone != "bench"]
    assert counts["bench"] > 1.5 * max(others)
    assert max(others) - min(others) <= 2


def test_no_zone_starves_however_many_others_are_urgent() -> None:
    order = taken(600, urgent=("door", "gate", "bench"))

    assert longest_wait(order, "road") <= URGENT_TIMES * len(FOUR)


def test_of_the_zones_that_are_left_the_one_that_waited_longest_is_next() -> None:
    turns = Turns()
    for at_ns, zone in enumerate(FOUR, 1):
        turns.take((Place(zone),), (), at_ns)

    assert turns.take((Place("road"), Place("bench")), (), 10) == Place("bench")


def test_a_zone_that_was_drawn_again_counts_as_one_that_never_had_a_turn() -> None:
    turns = Turns()
    for at_ns, zone in enumerate(FOUR, 1):
        turns.take((Place(zone),), (), at_ns)
    turns.keep((Place("door"),))
    turns.keep([*map(Place, FOUR)])

    assert turns.take((Place("door"), Place("road")), (), 10) == Place("road")
