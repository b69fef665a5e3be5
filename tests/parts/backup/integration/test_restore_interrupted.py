"""A restore that a signal, a full disk or an error ends: all is as it was, or all is new, and what is said is true."""

import json
import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.backups import Machine, archive, in_place, machine, manifest
from tests.command import vitcam
from tests.daemon import daemon
from tests.integration.faults.small_disk import fill, small_disk
from tests.soak.step_kills import NEW, OLD
from tests.stepped import Stepped, stepped
from vitcam.errors import ConfigError, VitcamError
from vitcam.folders import RESTORING
from vitcam.parts.backup.archive_reader import open_archive
from vitcam.parts.backup.journal import HalfDoneError, finish_interrupted, unpacking
from vitcam.parts.backup.places import CarriedFolder
from vitcam.parts.backup.restore_plan import plan_restore
from vitcam.parts.backup.restoring import restore
from vitcam.processes.interrupts import Interrupts
from vitcam.storage.files import rename_new
from vitcam.storage.owner import OwnedFolder, Owner


def interrupted(root: Path, step: int, number: signal.Signals) -> tuple[Machine, Stepped]:
    """A machine on which a restore was sent a signal at a step."""
    there = machine(root, OLD)
    file = archive(root / "b.tar", manifest(NEW), NEW)
    return there, stepped(root, step, number, "restore", str(file), *there.options)


def content(there: Machine) -> dict[str, bytes]:
    """What is in place. What was there before must be complete wherever it is kept."""
    files, kept = in_place(there.files())
    files.pop("b.tar")
    assert kept == (OLD if files == NEW else {})
    return files


def killed_in_the_middle(folder: Path) -> Machine:
    """A machine on which a restore was killed when some entries were moved and others were not."""
    for step in range(interrupted(folder / "whole", 0, signal.SIGKILL)[1].steps, 0, -1):
        there, _ = interrupted(folder / str(step), step, signal.SIGKILL)
        if "state/crops.json" not in there.files():
            return there
    raise AssertionError("no step is within the exchange")


@pytest.mark.fault(
    "`vitcam restore` is ended at any step",
    injected="SIGTERM, SIGINT, SIGHUP or SIGKILL before the n-th change of the disk, in each of three folders",
    observed="all is as it was, or all is restored and what was there is kept; what is said is true",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_restore_that_is_ended_at_any_step_is_done_as_a_whole_or_not_at_all(
    number: signal.Signals, tmp_path: Path
) -> None:
    steps = interrupted(tmp_path / "whole", 0, number)[1].steps
    found = set()

    for step in range(1, steps + 1, 1 if number == signal.SIGKILL else 3):
        there, ended = interrupted(tmp_path / str(step), step, number)
        if number == signal.SIGKILL:
            following = there.backup(tmp_path / f"{step}.tar")
            assert following.code == 0, following.err
        files = content(there)
        assert files in (OLD, NEW), step
        assert not [path for path in there.root.rglob(".*") if path.name != "lock"], step
        found.add(files == NEW)
        if number != signal.SIGKILL and step > 1:  # the first one is the lock of the state folder
            assert ("interrupted: nothing was changed" in ended.err) == (files == OLD), ended.err
            assert (f"restored {len(NEW)} files" in ended.err) == (files == NEW), ended.err

    assert found == {True, False}


def test_the_next_start_finishes_a_restore_that_was_killed_before_it_reads_its_settings(tmp_path: Path) -> None:
    there = killed_in_the_middle(tmp_path)
    home = {}
    for variable, name in (("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
        (tmp_path / variable).mkdir()
        (tmp_path / variable / "vitcam").symlink_to(there.root / name)
        home[variable] = str(tmp_path / variable)

    with daemon("--source", "demo", STATE_DIRECTORY=str(there.root / "state"), **home) as running:
        crop = running.wait_for("ok")["view"]["crop"]
        printed = running.errors()

    files = there.files()
    assert "a restore that was interrupted is finished now; what was there before lies in" in printed
    assert crop == [0, 0, 0.5, 0.5]
    assert {name: files[name] for name in NEW} == NEW
    assert not list(there.root.rglob(RESTORING))


def test_two_restores_at_once_and_what_reads_meanwhile_are_refused(tmp_path: Path) -> None:
    there = machine(tmp_path, OLD)
    file = archive(tmp_path / "b.tar", manifest(NEW), NEW)
    state = there.root / "state"

    with unpacking(OwnedFolder(state, state, None), 0o750) as new:
        with pytest.raises(VitcamError, match="is running in"):
            restored_while(there, file, lambda _: None)
        assert new.is_dir()
        refused = [
            there.restore(file),
            there.backup(tmp_path / "c.tar"),
            vitcam("run", "--source", "demo", "--no-web", STATE_DIRECTORY=str(state)),
        ]

    assert [each.code for each in refused] == [1, 1, 1]
    assert all("another restore is running in" in each.sentence for each in refused)
    assert content(there) == OLD


def restored_while(there: Machine, file: Path, step: Callable[[int], None]) -> None:
    """As the command does it; `step` is given the bytes that were unpacked up to now."""
    places = tuple(CarriedFolder(name, there.root / name) for name in ("config", "state", "data"))
    done = [0]

    def progress(more: int) -> None:
        done[0] += more
        step(done[0])

    with open_archive(str(file)) as found:
        restore(found, plan_restore(found.manifest, places), Interrupts(), progress)


@pytest.mark.fault(
    "the disk is full in the middle of `vitcam restore`, or when all is unpacked",
    injected="a tmpfs that something else fills meanwhile",
    observed="one sentence says that nothing was changed, and that is so",
)
@pytest.mark.parametrize("at", [1, 3_000_000])
def test_a_disk_that_is_full_in_the_middle_changes_nothing(at: int, tmp_path: Path) -> None:
    large = {**NEW, "state/frames/1.jpg": bytes(2_000_000), "state/frames/2.jpg": bytes(1_000_000)}
    file = archive(tmp_path / "b.tar", manifest(large), large)
    with small_disk(tmp_path / "disk", "4m") as disk:
        there = machine(disk, OLD)

        def step(done: int) -> None:
            if done >= at:
                fill(disk)

        with pytest.raises(VitcamError, match="No space left on device; nothing was changed"):
            restored_while(there, file, step)
        (disk / "filler").unlink()

        assert there.files() == OLD
        assert not list(disk.rglob(".*"))


def test_what_can_neither_be_done_nor_taken_back_is_said_and_finished_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, file = machine(tmp_path, OLD), archive(tmp_path / "b.tar", manifest(NEW), NEW)
    calls = []

    def failing(path: Path, target: Path) -> None:
        calls.append(path)
        if len(calls) > 2:
            raise OSError(5, "Input/output error", str(path))
        rename_new(path, target)

    with monkeypatch.context() as broken:
        broken.setattr("vitcam.parts.backup.journal.rename_new", failing)
        with pytest.raises(HalfDoneError, match="incomplete, but no file is lost"):
            restored_while(there, file, lambda _: None)
        with pytest.raises(ConfigError, match=r"cannot be finished: .* Input/output error"):
            finish_interrupted([CarriedFolder("state", tmp_path / "state").owned()])
    half = there.files()
    said = finish_interrupted([CarriedFolder("config", tmp_path / "config").owned()])

    assert any(name.startswith("config/before-restore-") for name in half)
    assert "data/notes/new" not in half
    assert "finished now" in said[0]
    assert content(there) == NEW


def test_what_earlier_versions_and_strangers_left_in_place_of_the_journal_harms_nothing(tmp_path: Path) -> None:
    there, outside = machine(tmp_path / "there", OLD), tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"x")
    record = {
        "restore": "r",
        "decider": str(there.root / "state"),
        "kept": "../outside",
        "old": ["crops.json"],
        "new": [],
    }
    for name, moves in (("config", "junk"), ("data", "[" * 100_000), ("state", json.dumps(record))):
        (there.root / name / RESTORING).mkdir()
        (there.root / name / RESTORING / "moves.json").write_text(moves)
    (there.root / "state" / RESTORING / "decided.json").write_text(json.dumps({"restore": "r", "others": []}))
    (there.root / "state" / ".vitcam-restore-k3j_4x9a").mkdir()

    written = there.backup(tmp_path / "b.tar")

    assert written.code == 0
    assert (outside / "precious").read_bytes() == b"x"
    assert there.files() == OLD


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may be somebody else")
def test_a_user_who_may_not_look_whether_a_restore_was_decided_changes_nothing() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:  # others may enter it
        Path(name).chmod(0o711)
        there = killed_in_the_middle(Path(name))
        before = there.files()
        for path in (there.root / "config", *(there.root / "config").rglob("*")):
            os.chown(path, 61234, 61234)
        (there.root / "state").chmod(0o700)
        with Owner(61234, 61234).acting(), pytest.raises(ConfigError, match=r"its part in .*/state cannot be read"):
            finish_interrupted([OwnedFolder(there.root / "config", there.root / "config", None)])
        untouched = there.files()
        finished = there.backup(Path(name, "b.tar"))  # root's

        assert untouched == before
        assert finished.code == 0
        assert content(there) == NEW
