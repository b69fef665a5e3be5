"""What a run with these settings would have told of a film. It runs without a camera, a page and a store."""

from collections.abc import Iterator
from pathlib import Path

from vitcam.config.event_rules import rules_of
from vitcam.config.settings import Settings
from vitcam.frames import Event
from vitcam.model.open import open_classifier
from vitcam.pictures.view import Region
from vitcam.pipeline.zone_events import zone_rules
from vitcam.replay.film import Area, events_of, predictions_of
from vitcam.zones.areas import Zone


def rehearse(film: Path, settings: Settings) -> Iterator[Event]:
    """Events as they are known, with times from the start of the film. Every frame is classified in every zone.

    raises  ModelError, SourceError, UsageError
    """
    areas, masks = areas_of(settings), tuple(map(Region.parse, settings.camera.masks))
    yield from events_of(predictions_of(film, open_classifier(settings.model), areas, masks), areas)


def areas_of(settings: Settings) -> list[Area]:
    """The zones with their rules, or the part of the picture that the model sees."""
    common = rules_of(settings.events)
    if not settings.zones:
        crop = settings.camera.crop
        return [Area(None, Region.parse(crop) if crop else None, common)]
    zones = (
        Zone(each.name, Region.parse(each.rect), each.labels, each.enter, each.leave, each.dwell_s)
        for each in settings.zones
    )
    return [Area(zone.name, zone.region, zone_rules(common, zone)) for zone in zones]
