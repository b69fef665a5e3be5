"""What of a run is announced: who asks for a presence, and which commands can be done."""

from vitcam.frames import UNKNOWN
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.look.watched import Presence, WatchedNow
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import WantedNames, own_names
from vitcam.parts.mqtt.home_assistant import AskedLabels
from vitcam.pictures.view import Region
from vitcam.run.awaited import Awaited
from vitcam.run.kinds import Watches
from vitcam.run.objects import Objects

LABELS, MEMBERS = ("tabby", "beagle"), {"cat": (0,), "dog": (1,)}


class Waiting(Watches):
    """Waits for labels and zones, such as rules do."""

    def __init__(self) -> None:
        self.asked: tuple[Awaited, ...] = ()

    def watched(self) -> tuple[Awaited, ...]:
        return self.asked


class Asked:
    """Everything that may ask for a presence."""

    def __init__(self, *labels: str) -> None:
        self.areas, self.names = ActiveAreas(), ActiveNames()
        self.rules, objects = Waiting(), Objects()
        objects.add(AskedLabels(labels), self.rules)
        vocabulary = Vocabulary(self.names, lambda: (LABELS, MEMBERS))
        self.watched = WatchedNow(self.areas, objects, vocabulary)

    def names_of(self) -> list[str]:
        return [each.name for each in self.watched()]


def test_settings_zones_and_rules_ask_for_presences() -> None:
    asked = Asked("dog")
    asked.areas.replace(Areas((Zone("door", Region(0, 0, 1, 1), ("cat",)),)))
    asked.rules.asked = (
        Awaited("tabby", "", "the rule a is for"),
        Awaited(UNKNOWN, "door", "the rule b is for"),
        Awaited("", "", "the rule c is for"),
    )
    assert asked.names_of() == ["Something in view", "Door", "Cat", "Dog", "Tabby", "Unknown", "Door: unknown"]


def test_they_are_the_same_value_until_something_changes() -> None:
    asked = Asked("cat")
    before = asked.watched()
    assert asked.watched() is before
    asked.names.replace(WantedNames("", own_names({"cat": "Mia"})))
    assert asked.watched()[1] == Presence("label_cat", "Mia", "cat")
    asked.rules.asked = (Awaited("dog", "", "the rule a is for"),)
    assert asked.names_of() == ["Something in view", "Mia", "Dog"]
