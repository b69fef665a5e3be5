"""What teaching does with settings that change while a run goes on."""

from pathlib import Path

from vitcam.config.settings import Settings
from vitcam.parts.teach.datasets.collector import Collector
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.keeper import InboxKeeper
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
from vitcam.parts.teach.settings import CollectSettings, InboxSettings


def test_more_room_is_used_from_the_next_picture_on(tmp_path: Path) -> None:
    data_sets, inbox = DataSets(tmp_path, 10.0), Inbox(tmp_path, InboxLimits(200, 20.0))
    new = Settings().with_section("collect", CollectSettings(max_mb=7.0))
    new = new.with_section("inbox", InboxSettings(pictures=9, max_mb=8.0))
    for each in (Collector(data_sets), InboxKeeper(InboxAnswers(inbox, data_sets), str)):
        each.apply(new)

    assert data_sets.max_mb == 7.0
    assert inbox.limits == InboxLimits(9, 8.0)
