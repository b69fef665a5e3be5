"""By which texts settings may name what the model sees, while names change."""

from dataclasses import replace

from vitcam.config.rules import EventRule
from vitcam.frames import Event, Group
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import NO_MEANINGS, Vocabulary, means_any, means_displayed
from vitcam.names.wanted import WantedNames, own_names
from vitcam.rules import Instant, RuleState, fits, step

LABELS = ("tabby cat", "tiger cat", "pug", "cup")
MEMBERS = {"cup": (3,), "cat": (0, 1), "animal": (0, 1, 2)}
NAMES = {"tabby cat": "Mia", "tiger cat": "Mia", "animal": "Viech", "cup": ""}


def vocabulary(language: str = "de", **more: str) -> Vocabulary:
    return Vocabulary(ActiveNames(WantedNames(language, own_names(NAMES | more))), lambda: (LABELS, MEMBERS))


def event(label: str = "Mia", group: Group | None = None) -> Event:
    return Event("1", "new", label, 0.4, 0, None, "test", group=group)


def test_an_event_is_meant_by_its_name_the_models_names_translations_and_groups() -> None:
    seen = vocabulary()

    for text in ("MIA", "tabby cat", "Tiger Cat", "getigerte Katze", "cat", "Katze", "viech", "animal", "Tier"):
        assert means_any(["no such", text], event(), seen), text
    for text in ("pug", "Mops", "cup", "", "dog"):
        assert not means_any([text], event(), seen), text


def test_a_group_is_meant_by_all_of_its_names() -> None:
    unsure = event("Mops", Group("Viech", 0.8))

    assert [means_any([text], unsure, vocabulary()) for text in ("animal", "Tier", "VIECH", "pug")] == [True] * 4
    assert not means_any(["cat"], unsure, vocabulary())


def test_what_is_displayed_of_an_event_is_meant_by_its_names_and_those_of_larger_groups() -> None:
    sure, unsure, vague = event(), event("Mia", Group("Katze", 0.8)), event("Mia", Group("Viech", 0.8))
    texts = ("mia", "tabby cat", "cat", "Katze", "animal", "viech", "pug")

    assert [means_displayed(text, sure, vocabulary()) for text in texts] == [True] * 6 + [False]
    assert [means_displayed(text, unsure, vocabulary()) for text in texts] == [False] * 2 + [True] * 4 + [False]
    assert [means_displayed(text, vague, vocabulary()) for text in texts] == [False] * 4 + [True] * 2 + [False]
    assert means_displayed("CAT", event("tabby", Group("cat", 0.8)), NO_MEANINGS)


def test_without_names_a_text_means_what_it_says_in_any_case() -> None:
    assert means_any(["tabby CAT"], event("Tabby cat"), NO_MEANINGS)
    assert means_any(["Cat"], event("tabby cat", Group("cat", 0.8)), NO_MEANINGS)
    assert not means_any(["cat"], event("tabby cat"), NO_MEANINGS)
    assert means_any(["cat"], event("tabby cat"), Vocabulary(ActiveNames(), lambda: (LABELS, MEMBERS)))


def test_it_goes_with_names_and_words_that_change() -> None:
    names = ActiveNames()
    labels: list[tuple[str, ...]] = [LABELS]
    seen = Vocabulary(names, lambda: (labels[0], {}))
    before = means_any(["pug"], event("Rex"), seen)
    names.replace(WantedNames("", own_names({"pug": "Rex"})))
    after = means_any(["pug"], event("Rex"), seen)
    labels[0] = ("a cat", "a dog")

    assert (before, after) == (False, True)
    assert not means_any(["pug"], event("Rex"), seen)
    assert seen.known == {"a cat", "a dog"}


def test_every_name_of_what_a_text_means_is_given_the_displayed_one_first() -> None:
    seen = vocabulary()

    assert seen.names_of("tabby CAT") == ("Mia", "tabby cat", "getigerte Katze")
    assert seen.names_of("mia") == ("Mia", "tabby cat", "getigerte Katze", "tiger cat", "Tigerkatze")
    assert seen.names_of("cup") == ("cup", "Tasse")
    assert seen.names_of("No such") == ("No such",)
    assert seen.names_of("Unknown") == ("unknown",)
    assert {"Mia", "tiger cat", "Tigerkatze", "animal", "Viech", "cup"} <= seen.known


def test_a_rule_by_the_models_own_name_acts_on_a_renamed_label_once_that_is_displayed() -> None:
    sure_of_the_group, sure = replace(event(), group=Group("Katze", 0.9)), replace(event(), p=0.7)
    seen, moment = vocabulary(), Instant(0, 0)

    def fires(label: str, above: float, at: Event = sure_of_the_group) -> bool:
        rule = EventRule("a", label=label, above=above)
        return bool(step([rule], seen, RuleState(), moment, at)[1])

    assert fits(EventRule(label="tabby cat"), seen, event())
    assert [fires("tabby cat", 0.3), fires("mia", 0.3)] == [False, False]
    assert [fires("tabby cat", 0.6, sure), fires("mia", 0.6, sure), fires("mia", 0.8, sure)] == [True, True, False]
    assert [fires("cat", 0.6), fires("Katze", 0.6), fires("", 0.6)] == [True, True, True]
