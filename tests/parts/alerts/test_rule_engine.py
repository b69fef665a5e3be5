"""What a rule may be about is what the model can see."""

from vitcam.parts.alerts.rule_engine import unknown_labels_of
from vitcam.parts.alerts.settings import OnSettings


def test_a_label_that_the_model_does_not_know_is_told_with_the_nearest_one() -> None:
    rules = [
        OnSettings("a", label="Taby"),
        OnSettings("b", label="cat"),
        OnSettings("c"),
        OnSettings("d", label="xyz"),
        OnSettings("e", label="unknown"),
        OnSettings("f", label="TABBY"),
    ]

    said = unknown_labels_of(rules, frozenset({"tabby", "cat"}))

    assert said == [
        "the rule a waits for 'Taby', which the model does not know; did you mean 'tabby'?",
        "the rule d waits for 'xyz', which the model does not know",
    ]
