import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vitcam.config.load import merge_layers
from vitcam.config.settings import ModelSettings
from vitcam.config.tables import ZoneSettings
from vitcam.daemon.assembly import assemble
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.daemon.model import run_model
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.errors import ModelError, UsageError
from vitcam.frames import Event, Frame, Prediction
from vitcam.model.bundle import read
from vitcam.model.files import find_model
from vitcam.run.kinds import Sees

LABELS = {name: set(read(find_model(name)).labels) for name in ("mnist", "cifar10", "cifar10-scratch")}  # type: ignore[union-attr]
PHOTOS = 120


class Witness(Sees):
    """A frame sink that keeps every prediction."""

    def __init__(self) -> None:
        self.seen: list[Prediction] = []
        self.after: Callable[[int], None] = lambda _: None
        """Called with the number of each frame once it was seen."""

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        self.seen.append(prediction)
        self.after(prediction.seq)

    def drop_pixels(self) -> None: ...

    def close(self, events: tuple[Event, ...]) -> None: ...


def run_of(source: Path, state: Path, **zones: str) -> tuple[Daemon, Witness]:
    sets = [f"camera.source={source}", "model.name=mnist", "log.format=json", "web.enabled=false"]
    settings = merge_layers(None, sets, {}, {}, Path("/nonexistent")).settings
    settings = replace(settings, zones=tuple(ZoneSettings(name, "0,0,1,1", (label,)) for name, label in zones.items()))
    daemon = assemble(RunOptions(settings, lambda: settings), {"STATE_DIRECTORY": str(state)}, patient=False)
    witness = Witness()
    daemon.publisher.attach(witness)
    return daemon, witness


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    for number in range(PHOTOS):
        noise = np.random.default_rng(number).integers(0, 255, (32, 32, 3), np.uint8)
        cv2.imwrite(str(folder / f"{number:03}.png"), noise)
    return folder


@pytest.fixture
def running(photos: Path, tmp_path: Path) -> Iterator[tuple[Daemon, Witness]]:
    daemon, witness = run_of(photos, tmp_path)
    yield daemon, witness
    daemon.trials.close()
    daemon.pipeline.stop(5)
    daemon.photos.close()


def test_every_frame_is_answered_once_by_one_model_while_models_are_put_in_place_all_the_time(
    running: tuple[Daemon, Witness],
) -> None:
    daemon, witness = running
    names = cycle(["cifar10-scratch", "mnist"])
    witness.after = lambda seq: daemon.models.put(run_model(ModelSettings(next(names)))) if seq % 10 == 0 else None
    daemon.pipeline.start(daemon.open_source)
    assert daemon.pipeline.over.wait(60)

    assert [prediction.seq for prediction in witness.seen] == list(range(PHOTOS))
    assert all({guess.label for guess in each.top} <= LABELS[each.model.name] for each in witness.seen)
    assert len({id(each.model) for each in witness.seen}) == PHOTOS // 10 + 1


def test_a_model_is_kept_for_the_next_run_once_it_has_answered(running: tuple[Daemon, Witness], tmp_path: Path) -> None:
    daemon, _ = running
    chosen = daemon.models.use("cifar10")
    before = PageSettings(tmp_path).model
    daemon.pipeline.start(daemon.open_source)
    assert daemon.pipeline.over.wait(60)
    again = daemon.models.back()

    assert (chosen.name, before) == ("cifar10", "")
    assert "no picture" in chosen.reason
    assert again.name == "mnist"
    assert daemon.model.value.name_or_file == "mnist"


def test_a_model_with_which_a_stage_fails_gives_way_to_the_one_before(
    running: tuple[Daemon, Witness], tmp_path: Path
) -> None:
    daemon, _ = running
    answered = threading.Event()

    def fail() -> None:
        while not answered.wait(0.01):
            daemon.trials.failed("it does not run here")

    failing = threading.Thread(target=fail)
    failing.start()
    with pytest.raises(UsageError, match="it does not run here"):
        daemon.models.use("cifar10")
    answered.set()
    failing.join()

    assert daemon.model.value.name_or_file == "mnist"
    assert daemon.pipeline.state().model == "mnist"
    assert PageSettings(tmp_path).model == ""


def test_the_way_back_stays_where_a_model_is_chosen_again(running: tuple[Daemon, Witness]) -> None:
    daemon, _ = running
    daemon.models.use("cifar10")
    daemon.models.use("cifar10")

    assert daemon.models.record()["before"] == "mnist"


def test_a_model_that_fails_later_does_not_take_away_one_that_is_put_in_place_meanwhile(
    running: tuple[Daemon, Witness], monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon, _ = running
    daemon.models.use("cifar10")
    third, undoing, changed = run_model(ModelSettings("cifar10-scratch")), threading.Event(), threading.Event()
    use_model = daemon.pipeline.use_model

    def slow(name: str, spec: Any) -> None:
        if name == "mnist":
            undoing.set()
            changed.wait(0.5)  # the other thread puts its model in place here, if it may
        use_model(name, spec)

    def other() -> None:
        assert undoing.wait(30)
        daemon.models.put(third)
        changed.set()

    changing = threading.Thread(target=other)
    changing.start()
    monkeypatch.setattr(daemon.pipeline, "use_model", slow)
    daemon.trials.failed("it does not run here")
    changing.join()

    assert daemon.model.value is third
    assert daemon.pipeline.state().model == "cifar10-scratch"


def test_the_labels_that_zones_lose_are_named_before_and_nothing_changes(photos: Path, tmp_path: Path) -> None:
    daemon, _ = run_of(photos, tmp_path, door="7", garden="airplane")

    found = daemon.models.check("cifar10")

    assert [("'7'" in sentence, "door" in sentence) for sentence in found.unknown] == [(True, True)]
    assert daemon.model.value.name_or_file == "mnist"
    daemon.photos.close()


@pytest.mark.parametrize("name", ["/etc/passwd", "models/mnist.tflite", "../mnist", "nothing"])
def test_only_installed_models_can_be_chosen(running: tuple[Daemon, Witness], name: str) -> None:
    daemon, _ = running

    with pytest.raises((ModelError, UsageError)):
        daemon.models.use(name)

    assert daemon.model.value.name_or_file == "mnist"


def test_a_model_of_another_process_is_used_at_a_reload_and_a_bad_one_is_refused(
    running: tuple[Daemon, Witness], tmp_path: Path
) -> None:
    daemon, _ = running
    first = daemon.models.read_again()
    PageSettings(tmp_path).save_model("cifar10")
    used = daemon.models.read_again(), daemon.model.value.name_or_file
    same = daemon.model.value
    again = daemon.models.read_again()
    PageSettings(tmp_path).save_model("nothing")

    assert (first, used, again) == ("", ("", "cifar10"), "")
    assert daemon.model.value is same, "it is loaded once"
    assert "nothing" in daemon.models.read_again()
    assert daemon.model.value is same


def test_a_chosen_model_that_is_gone_leaves_the_configured_one(photos: Path, tmp_path: Path) -> None:
    PageSettings(tmp_path).save_model("gone")

    daemon, _ = run_of(photos, tmp_path)

    assert daemon.model.value.name_or_file == "mnist"
    assert "gone" in daemon.model.value.trouble
    daemon.photos.close()
