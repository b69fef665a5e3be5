"""Runs for the tests of parts: with what a test gives, and without the rest."""

from dataclasses import fields
from typing import Any

from vitcam.config.settings import Settings
from vitcam.daemon.run import Run
from vitcam.run.objects import Objects


def a_run(**given: Any) -> Run:
    """A run that is live. What is not given is None: a test that reaches it fails."""
    nothing: dict[str, Any] = {each.name: None for each in fields(Run)}
    return Run(**{**nothing, "settings": Settings(), "is_live": True, "objects": Objects(), **given})
