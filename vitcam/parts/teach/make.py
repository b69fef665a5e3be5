"""What a run collects and asks people about."""

from vitcam.daemon.run import Run
from vitcam.folders import state_folder
from vitcam.frames import Prediction
from vitcam.names.vocabulary import shows_any
from vitcam.parts.teach.datasets.collector import Collector
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.keeper import InboxKeeper
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
from vitcam.parts.teach.inbox.target import target_of
from vitcam.parts.teach.settings import CollectSettings, InboxSettings
from vitcam.pictures.decode import decode_image


def make(run: Run) -> list[object]:
    """What collects pictures, and what fills the inbox where somebody can name them. A state folder is needed."""
    folder = state_folder(run.environ)
    if not run.is_live or folder is None:
        return []
    collector = Collector(DataSets(folder, run.settings[CollectSettings].max_mb))
    wanted = run.settings[InboxSettings].enabled and run.settings.web.enabled and run.history is not None
    if not wanted:
        return [collector, collector.underway]
    inbox = _inbox(run, Inbox(folder, _limits(run)), collector)
    return [collector, inbox, collector.underway, inbox.underway]


def _limits(run: Run) -> InboxLimits:
    settings = run.settings[InboxSettings]
    return InboxLimits(settings.pictures, settings.max_mb)


def _inbox(run: Run, inbox: Inbox, collector: Collector) -> InboxKeeper:
    names, vocabulary, model, camera = run.settings.store.forget, run.vocabulary, run.model, run.camera

    def ask(jpeg: bytes) -> Prediction:
        picture = decode_image(jpeg)
        with camera.between_frames() as classifier:
            return classifier.classify_image(picture, "inbox")

    return InboxKeeper(
        InboxAnswers(inbox, collector.data_sets),
        lambda: model.value.space,
        lambda prediction: shows_any(names, prediction, vocabulary),
        ask,
        lambda: target_of(model.value.info.card, model.value.name_or_file, collector.data_sets).dataset,
    )
