"""What a bundle says of the machine and the settings, without secrets."""

import platform
from typing import Any

import cv2
import numpy as np

from vitcam._version import __version__
from vitcam.config.load import EffectiveSettings
from vitcam.model.classifier import Classifier
from vitcam.redaction import redacted

_HIDDEN = "***"
_OPEN_RULE_KEYS = frozenset({"label", "zone", "above", "for_s", "between", "cooldown_s"})
"""Of `[[on]]`; addresses and commands of a rule may hold a password anywhere."""


def public_settings(effective: EffectiveSettings) -> dict[str, Any]:
    """Every setting by its name; `***` for what is a secret or may hold one."""
    return {name: _public(name, value) for name, value, _ in effective.rows()}


def versions(classifier: Classifier) -> dict[str, Any]:
    """Of everything that an answer depends on."""
    runtime = classifier.runtime
    return {
        "vitcam": __version__,
        "model": classifier.card.name,
        "fingerprint": classifier.card.graph_sha256,
        "runtime": f"{runtime.name} {runtime.version}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "machine": platform.machine(),
        "system": platform.platform(),
    }


def _public(name: str, value: Any) -> Any:
    section, _, key = name.rpartition(".")
    if section.partition(".")[0] == "on" and key not in _OPEN_RULE_KEYS:
        return _HIDDEN if value else value
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, tuple):
        return [redacted(str(each)) for each in value]
    return value
