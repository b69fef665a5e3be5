"""Refuses numbers that are invalid, for every recipe."""

from __future__ import annotations

from collections.abc import Mapping


def check_ranges(values: object, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Compare fields of `values` with (lowest, highest) by their names. Raises ValueError naming the first outside."""
    for name, (lowest, highest) in ranges.items():
        value = getattr(values, name)
        if not lowest <= value <= highest:
            allowed = f"{lowest:g} or more" if highest == float("inf") else f"{lowest:g} to {highest:g}"
            raise ValueError(f"{name} is {value:g}; {allowed} is allowed")
