"""`vitcam run` of a film at full rate: every frame is classified, whatever changes meanwhile."""

import json
import signal
from itertools import groupby
from pathlib import Path

from tests.daemon import answer_to, daemon
from tests.eventually import eventually


def test_model_zones_and_settings_change_while_a_film_plays_and_no_frame_is_lost(tmp_path: Path) -> None:
    config, out = tmp_path / "config.toml", tmp_path / "out.jsonl"
    config.write_text("[model]\ntop_k = 5\n")
    film = ("--source", "demo:ram", "--no-realtime", "--loop", "--threads", "2", "--config", str(config))
    with daemon(*film, stdout=str(out), STATE_DIRECTORY=str(tmp_path / "state")) as running:
        running.wait_for("ok")
        url = running.url

        def plays_on() -> None:
            before = running.state()["frames"]["classified"]
            assert eventually(lambda: running.state()["frames"]["classified"] > before + 20)

        chosen = answer_to(f"{url}/api/model", {"name": "cifar10"})[0]
        plays_on()
        left = {"zones": {"left": {"rect": [0, 0, 0.5, 1]}}, "masks": []}
        zoned = answer_to(f"{url}/api/zones", left, method="PUT")[0]
        assert eventually(lambda: running.state()["zones"])
        plays_on()
        whole = answer_to(f"{url}/api/zones", {"zones": {}, "masks": []}, method="PUT")[0]
        assert eventually(lambda: not running.state()["zones"])
        plays_on()
        config.write_text("[model]\ntop_k = 2\n")
        running.process.send_signal(signal.SIGHUP)
        assert eventually(lambda: "were read again" in running.errors())
        plays_on()
        state = running.state()
        code, _ = running.end()

    rows = [json.loads(line) for line in out.read_text().splitlines()]
    seen = [row for row in rows if row["type"] == "prediction"]
    kinds = [(len(row["top"]), row["zone"]) for row in seen]
    assert (chosen, zoned, whole, code) == (200, 200, 200, 0)
    assert (state["status"], state["model"]) == ("ok", "cifar10")
    assert [row["seq"] for row in seen] == list(range(len(seen)))
    assert [kind for kind, _ in groupby(kinds)] == [(5, None), (5, "left"), (5, None), (2, None)]
