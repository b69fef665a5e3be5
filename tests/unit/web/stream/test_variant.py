"""The parameters in the query of a stream's URL, and whether viewers watch something that costs extra work."""

import pytest

from vitcam.errors import UsageError
from vitcam.pictures.overlay_kinds import OVERLAYS, available_overlays
from vitcam.web.stream.variant import STEPS, Demand, Variant, read_variant

DEFAULT = Variant(overlay="heat", opacity=0.7, width=640, quality=70, fps=10)
ROLLOUT = Variant(overlay="rollout")


def test_an_empty_query_gives_the_default_variant() -> None:
    assert read_variant({}, heads=3, default=DEFAULT) == DEFAULT


def test_a_full_query_gives_exactly_that_variant() -> None:
    query = {"overlay": "attention", "head": "2", "opacity": "0.3", "width": "1280", "quality": "90", "fps": "5"}

    assert read_variant(query, heads=3, default=DEFAULT) == Variant("attention", 2, 0.3, 1280, 90, 5)


@pytest.mark.parametrize(
    ("name", "asked", "given"),
    [
        ("width", "642", 640),
        ("width", "1900", 1920),
        ("quality", "82", 80),
        ("fps", "14.6", 15),
        ("opacity", "0.449", 0.4),
    ],
)
def test_numbers_are_rounded_to_the_nearest_step(name: str, asked: str, given: float) -> None:
    assert getattr(read_variant({name: asked}, heads=3, default=Variant()), name) == given


def test_without_an_overlay_head_and_opacity_make_no_second_variant() -> None:
    plain = read_variant({"overlay": "none"}, heads=3, default=Variant())
    other = read_variant({"overlay": "none", "head": "1", "opacity": "0.9"}, heads=3, default=Variant())

    assert plain == other


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("value", ["-1", "99999", "wide", "", "nan", "inf", "1e400"])
def test_a_number_out_of_range_is_refused_with_what_is_allowed(name: str, value: str) -> None:
    steps = STEPS[name]

    with pytest.raises(UsageError, match=rf"{name} is .*{steps.low:g} to {steps.high:g}"):
        read_variant({name: value}, heads=3, default=Variant())


@pytest.mark.parametrize("value", ["3", "-1", "first", "", "1.0", "²"])
def test_a_head_that_the_model_lacks_is_refused_with_those_it_has(value: str) -> None:
    with pytest.raises(UsageError, match="mean, or 0 to 2"):
        read_variant({"head": value}, heads=3, default=Variant())


def test_an_unknown_overlay_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=f"allowed: {', '.join(OVERLAYS)}$"):
        read_variant({"overlay": "glow"}, heads=3, default=Variant())


def test_an_overlay_that_the_model_has_no_weights_for_is_refused() -> None:
    offered = available_overlays(())

    with pytest.raises(UsageError, match=f"'rollout'; allowed: {', '.join(offered)}$"):
        read_variant({"overlay": "rollout"}, heads=3, default=Variant(), overlays=offered)


def test_a_rollout_is_of_all_heads_so_choosing_one_makes_no_second_variant() -> None:
    found = read_variant({"overlay": "rollout", "head": "1"}, heads=3, default=Variant())

    assert found == Variant(overlay="rollout")


def test_there_is_demand_for_rollout_from_its_first_viewer_to_its_last() -> None:
    demand = Demand()
    before = demand.explanation
    with demand.watching(ROLLOUT):
        with demand.watching(ROLLOUT):
            both = demand.explanation
        one = demand.explanation

    assert (before, both, one, demand.explanation) == (False, True, True, False)


@pytest.mark.parametrize("overlay", ["none", "attention", "heat", "grid"])
def test_no_other_overlay_costs_the_model_extra_work(overlay: str) -> None:
    demand = Demand()

    with demand.watching(Variant(overlay=overlay)):
        assert not demand.explanation


def test_a_viewer_who_leaves_by_an_error_is_not_counted_any_more() -> None:
    demand = Demand()
    with pytest.raises(ConnectionResetError), demand.watching(ROLLOUT):
        raise ConnectionResetError

    assert not demand.explanation
