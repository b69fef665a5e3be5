from dataclasses import replace

from tests.frames import SECOND, prediction
from vitcam.frames import Event, Group, ModelIdentity, Place, Prediction, Shown
from vitcam.pipeline.headlines import Headlines


def at(seconds: float, label: str = "cup", p: float = 0.9, zone: str | None = None) -> Prediction:
    return replace(prediction(label, p, round(seconds * SECOND)), zone=zone)


def told(headlines: Headlines, *predictions: Prediction) -> list[str | None]:
    return [headlines.add_to(each).told.label for each in predictions]


def test_before_an_event_the_name_is_that_of_smoothed_probabilities() -> None:
    headlines = Headlines(dict)
    frames = [at(i / 10, "pagoda" if i == 10 else "cup") for i in range(20)]

    assert told(headlines, *frames) == ["cup"] * 20
    assert headlines.add_to(at(10, "pagoda")).told.label == "pagoda"


def test_while_an_event_lasts_the_headline_says_what_it_says() -> None:
    cat = Event("1", "update", "tabby", 0.4, 0, None, "demo", Group("cat", 0.97))
    headlines = Headlines({Place(): cat, Place("door"): replace(cat, group=None)}.copy)

    assert headlines.add_to(at(0, "Persian", 0.6)).headline == Shown("cat", 0.97, "group")
    assert headlines.add_to(at(0, "Persian", 0.6, "door")).headline == Shown("Persian", 0.6, "label"), "no name yet"


def test_smoothed_groups_are_told_where_no_label_is_likely() -> None:
    headlines = Headlines(dict)
    breeds = [replace(at(i / 10, breed, 0.4), groups=(Group("cat", 0.9),)) for i, breed in enumerate("ab" * 5)]

    assert told(headlines, *breeds) == ["cat"] * 10


def test_a_label_takes_the_place_of_its_group_once_it_stays_likely() -> None:
    headlines = Headlines(dict)
    frames = [replace(at(i / 10, "tabby", 0.6), groups=(Group("cat", 0.9),)) for i in range(10)]

    assert told(headlines, *frames) == ["cat"] * 5 + ["tabby"] * 5


def test_what_the_model_does_not_find_likely_enough_is_no_headline() -> None:
    headlines, strict = Headlines(dict), ModelIdentity("m", "", 0.7)
    frames = [replace(at(i / 10, "tabby", 0.55), groups=(Group("cat", 0.65),), model=strict) for i in range(10)]

    assert told(headlines, *frames) == [None] * 10
    assert told(headlines, *(replace(each, groups=(Group("cat", 0.9),)) for each in frames))[-1] == "cat"


def test_what_has_no_name_loses_it_soon() -> None:
    headlines = Headlines(dict)
    strange = [replace(at(1 + i / 10), known=False, unfamiliar=True) for i in range(10)]

    assert told(headlines, at(0), at(0.9)) == ["cup", "cup"]
    assert told(headlines, *strange)[-1] is None
    assert headlines.add_to(at(2.0)).told.level == "none", "one frame is not enough"


def test_photos_of_a_folder_have_nothing_to_do_with_each_other() -> None:
    tabby: dict[Place, Event] = {Place(): Event("1", "new", "tabby", 0.9, 0, None, "demo")}
    headlines = Headlines(tabby.copy)
    photo = replace(at(0, "pagoda"), path="a.jpg")

    assert headlines.add_to(photo).headline is None
    assert headlines.add_to(photo).told == photo.shown


def test_zones_are_told_apart_and_forgotten_with_their_zone() -> None:
    headlines = Headlines(dict)

    assert told(headlines, at(0, "cup", zone="a"), at(0, "pagoda", zone="b")) == ["cup", "pagoda"]
    headlines.keep(["b"])
    assert told(headlines, at(0.1, "bee", zone="a"), at(0.1, "bee", zone="b")) == ["bee", "pagoda"]
