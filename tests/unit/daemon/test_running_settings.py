"""Settings of the page are kept once they have worked, and taken back where a stage fails with them."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.eventually import eventually
from vitcam.config.compare import Changes, with_changes
from vitcam.config.layers import PageLayer
from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.daemon import running_settings
from vitcam.daemon.running_settings import RunningSettings
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import UsageError, VitcamError
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary

NEW = {"overlay.opacity": 0.9}


def layers(page: PageLayer) -> EffectiveSettings:
    return merge_layers(None, [], {}, {}, Path("/nonexistent"), page)


class Run:
    """Settings, with a supervisor that takes them over as a reload does."""

    def __init__(self, folder: Path) -> None:
        self.page, self.trials = PageSettings(folder), Trials()
        self.settings = RunningSettings(
            layers(self.page.layer).settings,
            layers,
            page=self.page,
            trials=self.trials,
            vocabulary=Vocabulary(ActiveNames(), lambda: (("cat",), {})),
            service=False,
        )
        self.ended = threading.Event()
        self.supervisor = threading.Thread(target=self._supervise)

    @property
    def opacity(self) -> float:
        return self.settings.running.overlay.opacity

    def _supervise(self) -> None:
        while not self.ended.wait(0.01):
            for new in self.settings.new():
                changes = Changes.between(self.settings.running, new.wanted)
                self.settings.set_running(with_changes(self.settings.running, new.wanted, changes.live))
                new.done.set_result(changes)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path)
    run.supervisor.start()
    yield run
    run.ended.set()
    run.supervisor.join()
    run.trials.close()


def test_settings_with_which_a_stage_fails_are_not_kept_and_those_before_are_in_force_again(run: Run) -> None:
    failing = threading.Thread(target=fail, args=(run,))
    failing.start()
    with pytest.raises(UsageError, match="the stage broke"):
        run.settings.change(NEW)
    failing.join()

    assert run.opacity == 0.5
    assert not run.page.layer.values


def fail(run: Run) -> None:
    """Blame what waits, once something does."""
    eventually(lambda: run.trials._waiting)
    run.trials.failed("the stage broke")


def test_settings_that_no_picture_has_shown_are_kept_and_taken_back_where_a_stage_fails_later(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_settings, "_WAIT_S", 0.05)
    reason = run.settings.change(NEW)
    kept = dict(run.page.layer.values)
    run.trials.failed("the stage broke")

    assert (reason, kept) == ("", NEW)
    assert eventually(lambda: run.opacity == 0.5)
    assert eventually(lambda: not run.page.layer.values)


def test_a_supervisor_that_does_not_answer_is_told_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_settings, "_TAKEN_WITHIN_S", 0.05)
    run = Run(tmp_path)
    with pytest.raises(VitcamError, match="try again"):
        run.settings.change(NEW)

    assert not run.page.layer.values
