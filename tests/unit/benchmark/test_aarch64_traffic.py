"""The arithmetic of a Pi's memory: what layers compute and fetch, and when cores wait."""

import pytest

from tests.bench.aarch64.traffic import Layer, Machine, Rates, layers, time

MACHINE = Machine(hz=1e9, private_cache=1000, bytes_per_s=1e9)
RATES = Rates(per_int8_mac=1.0, per_float_mac=2.0, per_byte=0.5)


def test_the_layers_have_the_parameters_and_products_of_deit_tiny() -> None:
    every = layers(last_token_alone=False)

    weights, macs = sum(layer.weights for layer in every), sum(layer.int8_macs + layer.float_macs for layer in every)

    # a byte for each of 5,717,416 parameters and another for those of the patches; biases and scales take four
    assert weights == pytest.approx(5_717_416 + 147_456, rel=0.03)
    assert macs == pytest.approx(1.254e9, rel=0.01)


@pytest.mark.parametrize(
    ("threads", "compute", "seconds", "waits"),
    [(1, 4e-6, 4e-6, 0.0), (2, 2e-6, 3e-6, 1e-6), (4, 1e-6, 3e-6, 2e-6)],
)
def test_more_threads_share_the_cycles_until_they_wait_for_the_weights(
    threads: int, compute: float, seconds: float, waits: float
) -> None:
    found = time(Layer("dense", weights=3000, activations=400, int8_macs=3800), MACHINE, RATES, threads, unkind=True)

    assert (found.compute, found.seconds, found.waits) == pytest.approx((compute, seconds, waits))


def test_what_is_handed_over_is_fetched_only_in_the_unkind_case_and_only_if_it_fits_no_cache() -> None:
    small, large = Layer("small", 0, 900), Layer("large", 0, 1100)

    fetched = [[time(each, MACHINE, RATES, 1, unkind).memory for each in (small, large)] for unkind in (False, True)]

    assert fetched == [[0.0, 0.0], [0.0, pytest.approx(1.1e-6)]]
