"""Settings of what a model can be taught with: pictures that are collected, and those that wait to be named."""

from dataclasses import dataclass
from typing import Annotated

from vitcam.config.option import Rule


@dataclass(frozen=True, slots=True)
class CollectSettings:
    """Pictures that are collected to teach a model with them."""

    max_mb: Annotated[
        float,
        Rule("Room for data sets of your own, in MB. Nothing is deleted for it", low=0, high=1e7, live=True, page=True),
    ] = 500.0


@dataclass(frozen=True, slots=True)
class InboxSettings:
    """Pictures of which the model is unsure, or that a person corrects: they wait on the page to be named."""

    enabled: Annotated[bool, Rule("Keep such pictures. Off where store.enabled is off", page=True)] = True
    pictures: Annotated[
        int,
        Rule(
            "So many wait at most. The most informative ones stay: those of which the model is least sure, and that "
            "look unlike each other",
            low=1,
            high=1000,
            live=True,
            page=True,
        ),
    ] = 200
    max_mb: Annotated[float, Rule("Room for them, in MB", low=0, high=1e5, live=True, page=True)] = 20.0
