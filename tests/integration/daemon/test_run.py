"""`vitcam run` from its start to its end."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.command import vitcam
from tests.daemon import daemon, status_of
from tests.eventually import eventually
from tests.grouped import grouped_model, unsure_photo
from tests.needs import need_program
from vitcam import Classifier, open_source


def photos(folder: Path, count: int) -> Path:
    """Numbered noise, each photo another."""
    for i in range(count):
        noise = np.random.default_rng(i).integers(0, 256, (64, 64, 3), np.uint8)
        cv2.imwrite(str(folder / f"{i:03}.png"), cv2.resize(noise, (320, 240)))
    return folder


@pytest.mark.smoke
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_within_two_seconds_and_with_zero(number: signal.Signals) -> None:
    with daemon("--source", "demo") as running:
        running.wait_for("ok")
        code, took_s = running.end(number)

        assert code == 0, running.errors()
        assert took_s < 2
        assert "Traceback" not in running.errors()


def test_a_signal_while_the_model_is_still_loading_ends_with_zero() -> None:
    with daemon("--source", "demo") as running:
        eventually(lambda: handles_sigterm(running.process.pid), every_s=0.01)  # Python itself takes a moment to start
        code, _ = running.end()

        assert code == 0, running.errors()
        assert "Traceback" not in running.errors()


def handles_sigterm(pid: int) -> bool:
    """Whether the process has a handler of its own, proc(5)."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def test_a_daemon_without_its_camera_serves_the_reason_and_keeps_trying() -> None:
    with daemon("--source", "/dev/video97", "--wait") as running:
        state = running.wait_for("no_signal")

        assert "/dev/video97" in state["reason"]
        assert status_of(f"{running.url}/healthz") == 200
        assert status_of(f"{running.url}/readyz") == 503
        assert status_of(f"{running.url}/snapshot.jpg") == 503
        assert running.end()[0] == 0


def test_a_folder_is_classified_whole_in_order_and_summed_up(tmp_path: Path) -> None:
    folder = photos(tmp_path, 12)
    result = vitcam("run", "--source", str(folder), "--no-realtime", "--once", "--no-web", "--log", "json")
    predictions = [line for line in result.lines if line["type"] == "prediction"]

    assert result.code == 0, result.err
    assert [Path(line["path"]).name for line in predictions] == [f"{i:03}.png" for i in range(12)]
    assert result.lines[-1]["frames"] == 12


@pytest.mark.smoke
def test_run_classify_and_the_python_interface_say_the_same_to_the_digit(tmp_path: Path) -> None:
    folder = photos(tmp_path, 5)
    ran = vitcam("run", "--source", str(folder), "--no-realtime", "--once", "--no-web", "--log", "json").lines[:-1]
    classified = vitcam("classify", str(folder), "--json").lines[:-1]
    classifier = Classifier("everyday")
    with open_source(str(folder)) as frames:
        own = [classifier(frame) for frame in frames]

    assert [line["top"] for line in ran] == [line["top"] for line in classified]
    assert [line["top"][0]["p"] for line in ran] == [round(one.top[0].p, 6) for one in own]
    attention = own[0].attention
    assert attention is not None
    assert attention.shape == (classifier.card.heads, *classifier.card.grid)


def test_several_photos_by_name_get_a_line_each_and_never_one_overlay_file(tmp_path: Path) -> None:
    names = [str(photos(tmp_path, 2) / f"00{i}.png") for i in range(2)]
    told = vitcam("classify", *names)
    refused = vitcam("classify", *names, "--overlay", str(tmp_path / "one.png"))

    assert [name in line for name, line in zip(names, told.out.splitlines(), strict=True)] == [True, True]
    assert refused.code == 2
    assert "name a folder" in refused.err
    assert not (tmp_path / "one.png").exists()


def test_an_overlay_replaces_no_photo_neither_its_own_nor_one_that_has_its_name(tmp_path: Path) -> None:
    folder = photos(tmp_path, 2)
    (folder / "000-0.png").write_bytes((folder / "001.png").read_bytes())
    before = {path: path.read_bytes() for path in folder.iterdir()}
    itself = vitcam("classify", str(folder / "000.png"), "--overlay", str(folder / "000.png"))
    many = vitcam("classify", str(folder / "000.png"), str(folder / "001.png"), "--overlay", str(folder))

    assert itself.code == 2
    assert "is the photo itself" in itself.err
    assert many.code == 0
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in folder.iterdir() if path not in before) == ["000-0-2.png", "001-0.png"]


def test_json_lines_of_an_unsure_label_carry_its_group(tmp_path: Path) -> None:
    options = ("--source", str(unsure_photo(tmp_path)), "--model", str(grouped_model(tmp_path)), "--once", "--no-web")
    events = ("events.enter=0.25", "events.leave=0.1", "events.dwell_s=0")
    settings = [word for event in events for word in ("--set", event)]
    ran = vitcam("run", *options, *settings, "--log", "json", "--emit", "changes")
    found = {line["type"]: line for line in ran.lines}

    assert ran.code == 0, ran.err
    assert (found["prediction"]["top"][0]["label"], found["prediction"]["group"]["label"]) == ("2", "even digit")
    assert (found["event"]["label"], found["event"]["group"]) == ("2", found["prediction"]["group"])


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_settings_are_shown_without_the_password_of_a_camera(form: tuple[str, ...]) -> None:
    told = vitcam("config", "show", "--set", "camera.source=rtsp://me:hunter2@cam/s?token=hunter2", *form)

    assert "rtsp://***@cam/s?token=***" in told.out
    assert "hunter2" not in told.out + told.err


def test_a_reader_who_leaves_ends_the_run_without_a_word(tmp_path: Path) -> None:
    folder = photos(tmp_path, 3)
    command = f'"{sys.executable}" -m vitcam run --source "{folder}" --loop --no-web --log json --emit all | head -n 1'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["type"] == "prediction"
    assert "Traceback" not in done.stderr


def test_what_is_printed_into_jq_is_records_and_nothing_else(tmp_path: Path) -> None:
    need_program("jq")
    command = (
        f'"{sys.executable}" -m vitcam run --source "{photos(tmp_path, 3)}" --no-realtime --once --no-web | jq -c .type'
    )
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ['"prediction"'] * 3 + ['"summary"']


def test_a_photo_can_come_from_stdin_and_a_broken_one_fails(tmp_path: Path) -> None:
    photo = (photos(tmp_path, 1) / "000.png").read_bytes()

    assert vitcam("classify", "-", "--json", stdin=photo).lines[0]["path"] == "-"
    assert vitcam("classify", "-", "--json", stdin=photo[:1000]).code == 1


def test_settings_come_from_file_environment_and_flags_in_that_order(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[model]\ntop_k = 2\nthreads = 1\n[log]\nemit = 'all'\n")
    folder = tmp_path / "photos"
    folder.mkdir()
    photos(folder, 1)
    options = ("run", "--source", str(folder), "--no-web", "--log", "json", "--config", str(tmp_path / "c.toml"))

    assert len(vitcam(*options).lines[0]["top"]) == 2
    assert len(vitcam(*options, VITCAM_MODEL_TOP_K="3").lines[0]["top"]) == 3
    assert len(vitcam(*options, "--top-k", "4", VITCAM_MODEL_TOP_K="3").lines[0]["top"]) == 4


def test_help_does_not_pay_for_opencv_or_the_runtime() -> None:
    code = "import sys, vitcam.cli; sys.exit(bool({'cv2', 'numpy', 'aiohttp', 'ai_edge_litert'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], env=os.environ, timeout=60).returncode == 0


NOT_AT_THE_START = {
    "aiohttp", "asyncio", "av", "email", "http.client", "importlib.metadata", "multiprocessing", "rich", "segno", "ssl",
    "unittest", "urllib.request", "xml", "numpy.ma", "vitcam.explain", "vitcam.web.event_loop", "vitcam.web.app",
    "vitcam.parts.peers.client", "vitcam.parts.mqtt.client", "vitcam.parts.teach.learn", "vitcam.doctor",
    "vitcam.benchmark", "vitcam.parts.backup.journal", "vitcam.model.text",
}  # fmt: skip
"""What the first picture does not need: it comes later, or never, since it takes time and memory."""


def test_a_daemon_imports_nothing_before_its_first_picture_that_it_can_do_without() -> None:
    code = "import sys, vitcam.cli.run, vitcam.daemon.supervisor, vitcam.web.server; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    imported = set(done.stdout.split())

    assert "vitcam.pipeline.pipeline" in imported
    assert not NOT_AT_THE_START & imported


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_daemon_that_a_shell_started_in_its_background_ends_by_the_same_signals(number: signal.Signals) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as such a shell does, and its children inherit it
    try:
        with daemon("--source", "demo") as running:
            running.wait_for("ok")
            code, took_s = running.end(number)
    finally:
        signal.signal(signal.SIGINT, before)

    assert code == 0
    assert took_s < 2


def test_the_address_is_said_only_when_there_is_something_to_watch() -> None:
    with daemon("--source", "/dev/video97") as absent:
        absent.process.wait(60)
        refused = absent.errors()
    with daemon("--source", "demo") as local:
        local.wait_for("ok")
        told = eventually(lambda: "watch at" in local.errors(), 20)
        told_more = "in the network" in local.errors()
    with daemon("--source", "/dev/video97", "--wait") as waiting:
        waiting.wait_for("no_signal")
        eventually(lambda: "watch at" in waiting.errors(), 20)
        said = waiting.errors()

    assert absent.process.returncode == 2
    assert "watch at" not in refused
    assert (told, told_more) == (True, False)
    assert said.index("/dev/video97") < said.index("watch at")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_whoever_can_be_reached_from_the_network_says_where_also_without_a_terminal(host: str) -> None:
    with daemon("--source", "demo", "--host", host, "--no-password") as running:
        told = eventually(lambda: re.search(r"in the network watch at (http://[^\"\s]+)", running.errors()), 30)
        address = told[1] if told else ""

    assert re.fullmatch(r"http://[\w.-]+:\d+", address)
    assert "//127." not in address
    assert "//0." not in address
