from vitcam.model.labels import unknown_labels
from vitcam.pictures.view import Region
from vitcam.zones.areas import Areas, Zone

ALL = Region(0, 0, 1, 1)


def test_labels_and_groups_that_the_model_knows_are_no_mistake() -> None:
    areas = Areas((Zone("door", ALL, ("cup", "animal", "unknown")), Zone("road", ALL)))

    assert unknown_labels(areas.watched_labels, {"cup", "animal", "dog"}) == []


def test_a_label_with_a_typing_error_is_named_with_what_was_meant() -> None:
    found = unknown_labels(Areas((Zone("door", ALL, ("dgo", "x" * 90)),)).watched_labels, {"cup", "dog"})

    assert found[0] == ("the model knows no label or group 'dgo', which the zone door watches; did you mean 'dog'?")
    assert found[1].endswith("…', which the zone door watches; `vitcam models show NAME` lists what it knows")


def test_a_label_in_other_case_is_no_mistake() -> None:
    assert unknown_labels([("Cat", "the rule lamp is for"), ("UNKNOWN", "a rule is for")], {"hat", "cat"}) == []


def test_what_looks_like_a_label_in_other_case_is_told_as_that_is_written() -> None:
    (found,) = unknown_labels([("LABRADR", "the rule lamp is for")], {"hat", "Labrador"})

    assert "'Labrador'?" in found
