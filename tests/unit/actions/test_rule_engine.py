"""What a rule may be about is what the model can see."""

from tests.parts import need_model
from vitcam.actions.rule_engine import Vocabulary, unknown_labels_of
from vitcam.config.tables import OnSettings
from vitcam.model.classifier import Classifier


def test_a_label_that_the_model_does_not_know_is_told_with_the_nearest_one() -> None:
    rules = [
        OnSettings("a", label="Tabby"),
        OnSettings("b", label="cat"),
        OnSettings("c"),
        OnSettings("d", label="xyz"),
        OnSettings("e", label="unknown"),
    ]

    said = unknown_labels_of(rules, frozenset({"tabby", "cat"}))

    assert said == [
        "the rule a waits for 'Tabby', which the model does not know; did you mean 'tabby'?",
        "the rule d waits for 'xyz', which the model does not know",
    ]


def test_the_vocabulary_of_a_model_has_its_labels_and_the_groups_that_hold_them() -> None:
    classifier = Classifier(str(need_model("everyday")), threads=1)

    seen = Vocabulary.of(classifier)

    assert {"collie", "dog"} <= seen.names
    assert "dog" in seen.groups["collie"]
