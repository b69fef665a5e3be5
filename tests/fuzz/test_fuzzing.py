"""A part of `make fuzz` that is short enough for every run, with a seed of its own."""

import importlib

import pytest

SEED = 7
COUNTS = {
    "requests_described": 300,
    "requests_raw": 1500,
    "pictures": 300,
    "model_files": 15,
    "configurations": 300,
    "bundles": 200,
    "state_files": 100,
    "zips": 120,
    "rights": 4_000,
}


@pytest.mark.long
@pytest.mark.parametrize("part", COUNTS)
def test_wrong_input_by_the_hundred_finds_nothing(part: str) -> None:
    outcome = importlib.import_module(f"tests.fuzz.{part}").run(COUNTS[part], SEED)

    assert outcome.findings == []
    assert sum(outcome.answers.values()) >= COUNTS[part] // 2
