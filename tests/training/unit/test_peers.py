"""The comparison with other runtimes: what is right, what is fast, and what becomes of a peer that fails."""

import os
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.bench.peers.catalogue import OURS, PEERS
from tests.bench.peers.install import install, requirements
from tests.bench.peers.material import Answers, Material
from tests.bench.peers.measure import Timing, measure
from tests.bench.peers.process import PeerFailed, PeerProcess
from tests.bench.peers.report import Conditions, Row, page, summary, table
from tests.bench.peers.verdict import judge
from tests.needs import need_model

CONDITIONS = Conditions("2026-01-02", "make bench-peers", threads=(2,), rounds=3, count=40, photos=100)


def answers(*tops: int) -> Answers:
    """Probabilities of five classes, one row a photo, most of them on the class given."""
    return np.full((len(tops), 5), 0.05, np.float32) + 0.75 * np.eye(5, dtype=np.float32)[list(tops)]


def row(name: str, *rounds_ms: float) -> Row:
    """A peer that was right and took this long."""
    right = judge(PEERS[name].kind, answers(0, 1), answers(0, 1))
    return Row(name, "1.2", right, {2: Timing(rounds_ms)})


def test_a_float_peer_that_is_wrong_on_one_photo_is_refused() -> None:
    reference = answers(*[0, 1, 2, 3] * 25)
    given = reference.copy()
    given[50] = answers(4)[0]

    verdict = judge("float32", given, reference)

    assert not verdict.is_right
    assert verdict.agreement == pytest.approx(0.99)


def test_a_float_peer_within_rounding_is_right_and_never_rounded_up() -> None:
    reference = answers(0, 1, 2)
    noise = np.random.default_rng(0).normal(0, 0.005, reference.shape).astype(np.float32)

    verdict = judge("float32", reference + noise, reference)

    assert verdict.is_right
    assert 0.999 < verdict.worst_cosine < 1
    assert float(str(verdict).split()[-1]) <= verdict.worst_cosine


def test_an_int8_peer_is_judged_by_its_top_labels_alone() -> None:
    reference = answers(0, 1, 2, 3)
    blurred = reference + np.float32(0.5)

    assert not judge("float32", blurred, reference).is_right
    assert judge("int8", blurred, reference).is_right
    assert str(judge("int8", answers(0, 1, 2, 4), reference)) == "75% agree"


def test_a_peer_that_fails_in_a_round_drops_out_and_the_others_go_on() -> None:
    asked: list[str] = []

    def take(name: str) -> list[float] | None:
        asked.append(name)
        return None if name == "b" and asked.count("b") == 2 else [1.0]

    timings = measure(["a", "b", "c"], 3, take)

    assert asked == ["a", "b", "c", "a", "b", "c", "a", "c"]
    assert list(timings) == ["a", "c"]
    assert len(timings["c"].rounds_ms) == 3


def test_the_table_ranks_by_time_and_ends_with_those_that_have_none() -> None:
    lines = table(
        [row("pytorch", 20.0, 18.0, 19.0), Row("openvino", reason="wrong: a|b"), row(OURS, 5.0, 6.0, 4.0)], (2,)
    ).splitlines()

    assert lines[2] == "| **vitcam**: int8 on LiteRT 1.2 | 5.00 | 4.00 … 6.00 | 1.00 | 100% agree |"
    assert lines[3] == "| PyTorch 1.2 eager float32 | 19.00 | 18.00 … 20.00 | 3.80 | cosine 1.00000 |"
    assert lines[4] == "| OpenVINO float32 | none | | | wrong: a/b |"


def test_the_page_and_the_summary_state_what_was_measured() -> None:
    rows = [row(OURS, 5.0), row("openvino-int8", 6.25), Row("executorch-int8", reason="not installed")]

    text, short = page(rows, CONDITIONS), summary(rows, CONDITIONS)

    assert table(rows, CONDITIONS.threads) in text
    assert "medians of 3 rounds" in text
    assert "| vitcam | 5.0 ms |" in short
    assert "| OpenVINO's int8 | 1.25 times as long |" in short
    assert "ExecuTorch" not in short


def test_each_number_of_threads_has_its_own_columns_and_its_own_ratios() -> None:
    both = {2: Timing((4.0,)), 1: Timing((8.0,))}
    right = judge("int8", answers(0, 1), answers(0, 1))
    rows = [Row(OURS, "1", right, both), Row("mnn-int8", "2", right, {2: Timing((6.0,))}, reason="ended by SIGSEGV")]

    lines = table(rows, (2, 1)).splitlines()

    assert lines[0].count("|") == lines[1].count("|") == lines[3].count("|")
    assert "| 4.00 | 4.00 … 4.00 | 1.00 | 8.00 | 8.00 … 8.00 | 1.00 | 100% agree |" in lines[2]
    assert "| 6.00 | 6.00 … 6.00 | 1.50 | none |  |  | ended by SIGSEGV |" in lines[3]


def test_one_package_that_cannot_be_installed_keeps_no_other_out() -> None:
    tried: list[Sequence[str]] = []

    def pip(wanted: Sequence[str]) -> bool:
        tried.append(wanted)
        return "bad==1" not in wanted

    assert install(["good==1", "bad==1", "fine==2"], pip) == ["bad==1"]
    assert tried == [["good==1", "bad==1", "fine==2"], ["good==1"], ["bad==1"], ["fine==2"]]


def test_every_version_in_the_extra_peers_is_pinned_exactly() -> None:
    assert len(requirements()) >= 7
    assert all(requirement.count("==") == 1 for requirement in requirements())


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_names_functions_that_its_runner_has(name: str) -> None:
    peer = PEERS[name]

    for function in (peer.build, peer.open):
        assert callable(pkgutil.resolve_name(f"tests.bench.peers.runners.{peer.runner}:{function}"))


@pytest.fixture
def material(tmp_path: Path) -> Material:
    """Two photos of noise to be asked about."""
    found = Material(tmp_path)
    np.save(found.asked, np.random.default_rng(0).integers(0, 256, (2, 224, 224, 3), np.uint8))
    return found


def test_a_process_answers_all_photos_and_times_what_it_is_asked_for(material: Material, tmp_path: Path) -> None:
    process = PeerProcess(OURS, "serve", material, need_model("everyday"), threads=1)
    try:
        loaded = process.answer(60)
        process.ask(60, do="answer", to=str(tmp_path / "answers.npy"))
        timed = process.ask(60, do="time", warm_up=1, count=3)
    finally:
        process.close()
    given = np.load(tmp_path / "answers.npy")

    assert loaded["version"][0].isdigit()
    assert given.shape == (2, 1048 + 128)  # behind the labels is room for those that a device adds
    assert given.sum(-1) == pytest.approx(1, abs=1e-3)
    assert len(timed["ms"]) == 3
    assert min(timed["ms"]) > 0


def test_a_peer_that_cannot_load_gives_its_reason_in_one_line(material: Material, tmp_path: Path) -> None:
    process = PeerProcess(OURS, "serve", material, tmp_path / "none.tflite", threads=1)

    with pytest.raises(PeerFailed, match=r"none\.tflite cannot be read") as caught:
        process.answer(60)

    assert "\n" not in str(caught.value)


def test_a_peer_that_crashes_is_reported_by_its_signal(material: Material) -> None:
    process = PeerProcess(OURS, "serve", material, need_model("everyday"), threads=1)
    process.answer(60)
    process.kill()

    with pytest.raises(PeerFailed, match="ended by SIGKILL"):
        process.ask(60, do="time", warm_up=1, count=1)


def test_without_the_data_one_sentence_says_where_to_get_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.peers", "--folder", str(tmp_path / "run")],
        env=os.environ | {"VITCAM_DATA": str(tmp_path)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "github.com/facebookresearch/deit" in done.stderr
