"""What zones cost, and how often each is looked at.

One daemon classifies the same frames as fast as it can, in turns: the whole view as a scaler delivers it, a crop of it,
and one zone in the place of that crop. Then four zones share a camera of 30 frames/s.

python -m tests.bench.zones [--rounds 15] [--seconds 0.6] [--threads 2]
"""

import argparse
import json
import statistics
import time
import urllib.request
from collections.abc import Sequence
from typing import Any

from tests.daemon import Daemon, daemon

_SETTLE_S = 0.3
_SQUARE = [0, 0, 0.5625, 1]  # of a picture of 1280×720 px: no px of it are left out by a model that wants a square
_NO_ZONES: dict[str, Any] = {"zones": {}, "masks": []}
_ONE: dict[str, Any] = {"zones": {"one": {"rect": _SQUARE}}, "masks": []}
_FOUR: dict[str, Any] = {
    "zones": {f"zone{2 * y + x + 1}": {"rect": [x / 2, y / 2, 0.5, 0.5]} for y in (0, 1) for x in (0, 1)},
    "masks": [],
}


def send(url: str, method: str, body: object) -> None:
    """A request whose answer does not matter."""
    request = urllib.request.Request(url, json.dumps(body).encode(), method=method)
    urllib.request.urlopen(request, timeout=10).close()


def show(running: Daemon, crop: list[float] | None, zones: object) -> None:
    """Give the model another part of the picture."""
    send(f"{running.url}/api/crop", "POST", {"crop": crop})
    send(f"{running.url}/api/zones", "PUT", zones)
    time.sleep(_SETTLE_S)


def rates(running: Daemon, names: Sequence[str], seconds: float) -> dict[str, float]:
    """Predictions/s of each zone, or of all under the name of none."""
    before = running.state()
    time.sleep(seconds)
    after = running.state()
    took_s = after["uptime_s"] - before["uptime_s"]
    total = (after["frames"]["classified"] - before["frames"]["classified"]) / took_s
    return {name: after["zones"][name]["fps"] for name in names} | {"": total}


def ratio(ones: Sequence[float], others: Sequence[float]) -> str:
    """The median of the ratios of each turn, with its 95 % interval (1.96 standard errors of the mean)."""
    found = [one / other for one, other in zip(ones, others, strict=True)]
    half = 1.96 * statistics.stdev(found) / len(found) ** 0.5
    return f"{statistics.median(found):.3f} (mean {statistics.mean(found):.3f} ± {half:.3f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.zones")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.6)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    ways = {"whole": (None, _NO_ZONES), "crop": (_SQUARE, _NO_ZONES), "zone": (None, _ONE)}
    found: dict[str, list[float]] = {way: [] for way in ways}
    threads = ("--threads", str(options.threads))
    with daemon("--source", "demo:ram", "--no-realtime", "--loop", *threads) as running:
        running.wait_for("ok")
        for _ in range(options.rounds):
            for way, (crop, zones) in ways.items():
                show(running, crop, zones)
                found[way].append(rates(running, (), options.seconds)[""])
    for way, values in found.items():
        print(f"{way:6} {statistics.median(values):7.1f} predictions/s")
    print(f"one zone / the same part as a crop: {ratio(found['zone'], found['crop'])}")
    print(f"one zone / the whole view from a scaler: {ratio(found['zone'], found['whole'])}")
    with daemon("--source", "demo:ram", *threads) as running:
        running.wait_for("ok")
        show(running, None, _FOUR)
        time.sleep(2)
        turns = [rates(running, [*_FOUR["zones"]], 1.0) for _ in range(10)]
    for name in _FOUR["zones"]:
        each = [turn[name] for turn in turns]
        print(f"{name}: {statistics.mean(each):.1f} predictions/s, at least {min(each):.1f}")


if __name__ == "__main__":
    main()
