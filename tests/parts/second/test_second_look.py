"""Second models in a run, with the models that the repository ships."""

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.frames import SECOND
from tests.needs import need_model
from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import ConfigError
from vitcam.frames import Frame, Guess, Prediction, SecondAnswer
from vitcam.machine import Machine
from vitcam.model.classifier import Classifier
from vitcam.names.vocabulary import NO_MEANINGS
from vitcam.parts.second.answers import Sayable, SecondModel
from vitcam.parts.second.checks import second_models
from vitcam.parts.second.look import SecondLook
from vitcam.parts.second.settings import SecondRule, SpeciesSettings
from vitcam.pictures.decode import decode_image
from vitcam.pictures.resize import frame_of_picture
from vitcam.run.ending import Ending

CAT = Path("models/golden/cat.jpg").resolve()


@pytest.fixture(scope="module")
def first() -> Classifier:
    return Classifier(need_model("everyday"), threads=1)


@pytest.fixture(scope="module")
def cat(first: Classifier) -> Frame:
    return frame_of_picture(decode_image(CAT.read_bytes()), first.input, "test")


def look(first: Classifier, *rules: SecondRule, **species: Any) -> SecondLook:
    settings = replace(Settings(), rules={**Settings().rules, "second": rules})
    settings = settings.with_section("species", replace(SpeciesSettings(), **species))
    return SecondLook(settings, first.vocabulary(), 1)


def answers(asked: SecondLook, first: Classifier, frames: Sequence[Frame]) -> list[SecondAnswer | None]:
    return [asked.specify(each, first(each)) for each in frames]


def after(frame: Frame, *seconds: float) -> list[Frame]:
    return [replace(frame, captured_ns=frame.captured_ns + round(each * SECOND)) for each in seconds]


def test_a_label_or_a_group_that_is_displayed_is_asked_about_and_nothing_else(first: Classifier, cat: Frame) -> None:
    assert first(cat).shown.label is not None
    ask = SecondRule("a", when="cat", model=str(need_model("cifar10")))
    [answer] = answers(look(first, ask), first, [cat])

    assert answer is not None
    assert (answer.label, answer.model) == ("cat", ask.model)
    assert answers(look(first, replace(ask, when="dog")), first, [cat]) == [None]
    assert answers(look(first), first, [cat]) == [None]


def test_a_place_is_asked_about_once_a_second_at_most(first: Classifier, cat: Frame) -> None:
    asked = look(first, SecondRule("a", when="cat", model=str(need_model("cifar10"))))
    found = answers(asked, first, after(cat, 0, 0.1, 0.9, 1.0, 1.5))

    assert None not in found
    assert asked.state().asked == 2
    asked.specify(cat, replace(first(cat), track=3))
    assert asked.state().asked == 3, "another place has turns of its own"


def test_second_looks_take_a_small_share_of_a_cameras_time(
    first: Classifier, cat: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = SecondRule("a", when="cat", model=str(need_model("cifar10")))
    settings = replace(Settings(), rules={**Settings().rules, "second": (ask,)})
    live, film = (SecondLook(settings, first.vocabulary(), 1, is_live) for is_live in (True, False))
    clock = iter(range(0, 10**15, 100_000_000))  # each look takes 0.1 s
    monkeypatch.setattr(SecondModel, "ask", lambda *_: SecondAnswer("cat", 0.9, "cifar10"))
    seen = first(cat)
    monkeypatch.setattr("vitcam.parts.second.look.time.perf_counter_ns", lambda: next(clock))
    frames = after(cat, *(i / 10 for i in range(100)))
    for asked in (live, film):
        for index, each in enumerate(frames):
            asked.specify(each, replace(seen, captured_ns=each.captured_ns, track=index % 8))

    assert live.state().asked == 3, "in 10 s, of 8 things"
    assert film.state().asked == 52, "each is seen every 0.8 s, so that every second time is due"


def test_names_that_take_turns_do_not_ask_more_often(first: Classifier, cat: Frame) -> None:
    model = str(need_model("cifar10"))
    asked = look(first, SecondRule("a", when="cat", model=model), SecondRule("b", when="dog", model=model))
    seen = first(cat)
    dog = replace(seen, top=(Guess("pug", 0.9), *seen.top[1:]), groups=())
    for index, each in enumerate(after(cat, *(i / 10 for i in range(10)))):
        shown = replace(dog if index % 2 else seen, captured_ns=each.captured_ns)
        assert (asked.specify(each, shown) is None) == bool(index % 2)

    assert asked.state().asked == 1


def test_below_its_threshold_it_is_not_sure_which(first: Classifier, cat: Frame) -> None:
    asked = look(first, SecondRule("a", when="cat", model=str(need_model("cifar10")), above=1.0))
    [answer] = answers(asked, first, [cat])

    assert answer is not None
    assert answer.label is None
    assert 0 < answer.p < 1
    assert (asked.state().asked, asked.state().named) == (1, 0)


def test_a_list_of_the_place_leaves_only_its_names_and_a_file_says_them_otherwise(
    first: Classifier, cat: Frame, tmp_path: Path
) -> None:
    names, kept = tmp_path / "names.txt", tmp_path / "list.txt"
    names.write_text("# mine\nCat = Katze\nhorse\tPferd\n")
    kept.write_text("horse\nFrog\n")
    ask = SecondRule("a", when="cat", model=str(need_model("cifar10")), above=0.0001)
    [german] = answers(look(first, ask, names=str(names)), first, [cat])
    [listed] = answers(look(first, ask, names=str(names), list=str(kept)), first, [cat])

    assert german is not None
    assert german.label == "Katze"
    assert listed is not None
    assert listed.label in ("Pferd", "frog")


def test_what_was_chosen_on_the_page_is_asked_after_the_rules_of_the_file(first: Classifier, cat: Frame) -> None:
    asked = look(first, ask=("cat",), model="cifar10")

    assert asked.state().models == ("cifar10",)
    assert answers(asked, first, [cat])[0] is not None


@pytest.mark.fault(
    "a second model is not there, or fails",
    injected="a name of no model; a graph that raises",
    observed="frames have no second answer, the state says why, and all else goes on",
)
def test_a_second_model_that_fails_costs_its_answer(
    first: Classifier, cat: Frame, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    none = look(first, SecondRule("a", when="cat", model="nonesuch"))
    assert answers(none, first, [cat]) == [None]
    assert "there is no model called 'nonesuch'" in next(iter(none.troubles()))

    asked = look(first, SecondRule("a", when="cat", model=str(need_model("cifar10"))))
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
        broken.setattr(SecondModel, "ask", lambda *_: 1 / 0)
        assert answers(asked, first, after(cat, 0, 2)) == [None, None]
        assert "division by zero" in next(iter(asked.troubles()))
    assert len([line for line in caplog.messages if "division by zero" in line]) == 1
    assert answers(asked, first, after(cat, 4))[0] is not None
    assert [*asked.troubles()] == []


def test_other_settings_are_taken_while_it_runs(first: Classifier, cat: Frame) -> None:
    asked = look(first)
    asked.load(replace(Settings(), rules={"on": (), "second": (SecondRule("a", when="cat", model="cifar10"),)}))

    assert answers(asked, first, [cat])[0] is not None
    asked.load(Settings())
    assert answers(asked, first, [cat]) == [None]


def test_a_model_that_comes_or_is_replaced_while_it_runs_is_asked(
    first: Classifier, cat: Frame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitcam.parts.second.look._TURN_S", 0.05)
    model = tmp_path / "pets.tflite"
    asked = look(first, SecondRule("a", when="cat", model=str(model)))
    assert "pets" in next(iter(asked.troubles()))
    asked.start()
    try:
        for came, is_cat in (("mnist", False), ("", False), ("cifar10", True)):  # "": half of a file, being copied
            (tmp_path / "new").write_bytes(need_model(came).read_bytes() if came else b"half")
            (tmp_path / "new").replace(model)

            def is_asked(came: str = came, is_cat: bool = is_cat) -> bool:
                [answer] = answers(asked, first, [replace(cat, captured_ns=time.monotonic_ns())])
                is_whole = [*asked.troubles()] == []
                return answer is not None and (answer.label == "cat") == is_cat and is_whole == bool(came)

            assert eventually(is_asked)
    finally:
        asked.stop(Ending(ShutdownRequest()))


def test_a_rule_needs_what_it_is_for_and_a_model(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"

    def read(text: str) -> Settings:
        file.write_text(text)
        return merge_layers(file, [], {}, {}, tmp_path / "none").settings

    [rule] = read('[[second]]\nwhen = "bird"\nmodel = "birds"\nabove = 0.5').rules_of(SecondRule)
    assert (rule.when, rule.model, rule.above) == ("bird", "birds", 0.5)
    with pytest.raises(ConfigError, match="asks nothing; give it `when` and `model`"):
        read('[[second]]\nwhen = "bird"')


def test_the_doctor_names_a_second_model_that_is_not_there() -> None:
    def found(model: str) -> CheckResult:
        settings = Settings().with_section("second", (SecondRule("a", when="cat", model=model),))
        return second_models(CheckContext(settings, Machine({})))

    assert second_models(CheckContext(Settings(), Machine({}))) == CheckResult("ok", "none is asked for")
    assert found("cifar10") == CheckResult("ok", "cifar10 at cat")
    assert (found("birds2").status, found("birds2").fix) == ("warn", "vitcam models list")


def test_scientific_names_go_with_the_answer() -> None:
    classifier = Classifier(need_model("cifar10"), threads=1)
    classifier.labels = ("Cygnus olor (Mute Swan)", *classifier.labels[1:])
    model = SecondModel("birds", classifier, 0.1, Sayable(only=("mute swan", "Dodo")))
    picture = frame_of_picture(decode_image(CAT.read_bytes()), classifier.input, "test")

    assert model.ask(picture, picture.crop).label is None, "a cat is none of the list"
    assert model.unknown == ("Dodo",)
    sure = with_guesses(classifier, picture, (("Cygnus olor (Mute Swan)", 0.2), ("cat", 0.8)))
    assert model.answer(sure) == SecondAnswer("Mute Swan", 0.2 / (0.2 + 0.1 * 0.8), "birds", "Cygnus olor")


def with_guesses(classifier: Classifier, frame: Frame, top: Sequence[tuple[str, float]]) -> Prediction:
    return replace(classifier(frame), top=tuple(Guess(label, p) for label, p in top))


def test_nothing_is_asked_where_nothing_is_displayed(first: Classifier, cat: Frame) -> None:
    asked = SecondLook(Settings(), NO_MEANINGS, 1)
    unnamed: Prediction = replace(first(cat), known=False)

    assert asked.specify(cat, unnamed) is None
