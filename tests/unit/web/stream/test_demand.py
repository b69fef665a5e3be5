"""Whether viewers watch something that costs the model extra work."""

import pytest

from vitcam.web.stream.demand import Demand
from vitcam.web.stream.variant import Variant

ROLLOUT = Variant(overlay="rollout")


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
