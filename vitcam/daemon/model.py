"""Loads the model of a run and makes sure that it answers correctly on this machine."""

import logging

from vitcam.config.settings import ModelSettings
from vitcam.errors import ConfigError, ModelError
from vitcam.model.classifier import Classifier
from vitcam.model.open import open_classifier

log = logging.getLogger(__name__)


def load_configured_model(settings: ModelSettings, named_in: str) -> Classifier:
    """Load a model as `load_model` does. One that the configuration names and that cannot be used is a ConfigError.

    named_in  where the configuration names it; empty where it does not
    """
    try:
        return load_model(settings)
    except ModelError as error:
        if not named_in:
            raise
        raise ConfigError(f"{named_in}: model.name: {error}") from error


def load_model(settings: ModelSettings) -> Classifier:
    """Load a model, check its golden images, and say what runs it. Raises ModelError if it answers wrongly."""
    classifier = open_classifier(settings)
    wrong = [result for result in classifier.verify() if not result.ok]
    if wrong:
        first = wrong[0]
        raise ModelError(
            f"{classifier.path} answers {first.name} with {first.answer} instead of {first.right_answer} "
            "on this machine; reinstall vitcam or export the model again"
        )
    runtime = classifier.runtime
    log.info(
        "model %s, %d labels, on %s %s with %d threads, %d delegate partition(s), %d operator(s) outside",
        classifier.card.name, len(classifier.labels), runtime.name, runtime.version,
        runtime.threads, runtime.partitions, runtime.outside,
    )  # fmt: skip
    return classifier
