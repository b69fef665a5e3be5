"""A second look in a daemon that runs: asked for on the page, and by a configuration whose model is not there."""

import json
from pathlib import Path

from tests.daemon import answer_to, daemon, get_json
from tests.eventually import eventually
from tests.needs import need_model

DETAIL = {"label", "p", "model", "scientific"}


def test_what_the_page_asks_for_is_in_predictions_and_events_at_once(tmp_path: Path) -> None:
    need_model("cifar10")
    with daemon("--source", "demo", "--loop", XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        assert running.state()["second"] == {"models": [], "asked": 0, "named": 0, "ms": None}
        code, answer = answer_to(
            f"{running.url}/api/settings", {"species.ask": ["cat"], "species.model": "cifar10"}, "PATCH"
        )
        assert (code, answer["remembered"]) == (200, True)
        assert eventually(lambda: running.state()["second"]["asked"] > 1, 60)
        events = eventually(
            lambda: [
                event
                for event in get_json(f"{running.url}/api/events?limit=50")["events"]
                if event["shown"]["detail"] is not None
            ],
            60,
        )
        state = running.state()
        code, refused = answer_to(f"{running.url}/api/settings", {"species.model": "../x.tflite"}, "PATCH")

    assert state["status"] == "ok"
    assert state["second"]["models"] == ["cifar10"]
    assert state["second"]["ms"]["p50"] > 0
    assert {event["shown"]["kind"] for event in events} == {"cat"}
    assert {event["shown"]["detail"]["model"] for event in events} == {"cifar10"}
    assert set(events[0]["shown"]["detail"]) == DETAIL
    assert code == 400
    assert "the name of an installed model" in refused["error"]


def test_a_second_model_that_is_not_there_keeps_no_camera_from_running(tmp_path: Path) -> None:
    config, lines = tmp_path / "config.toml", tmp_path / "lines.jsonl"
    config.write_text('[model]\nfps = 8\n[[second]]\nwhen = "cat"\nmodel = "unicorns"\n')
    options = ("--source", "demo", "--loop", "--config", str(config), "--emit", "all")
    with daemon(*options, stdout=str(lines), XDG_STATE_HOME=str(tmp_path)) as running:
        state = running.wait_for("degraded")
        assert eventually(lambda: lines.read_text().count("\n") > 3)
        code, _ = running.end()

    assert "there is no model called 'unicorns'" in state["reason"]
    assert json.loads(lines.read_text().splitlines()[0])["shown"]["detail"] is None
    assert code == 0
