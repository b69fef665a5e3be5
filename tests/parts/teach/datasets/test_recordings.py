"""Which photos that somebody brings belong together, and what they are called."""

from datetime import datetime, timedelta

from vitcam.parts.teach.datasets.recordings import TOGETHER, name_for, recording_of
from vitcam.parts.teach.datasets.store import PICTURE

NOW = datetime(2026, 11, 26, 9, 0)
SHOT = datetime(2026, 1, 2, 3, 4, 5)


def test_photos_of_five_minutes_are_one_recording_and_others_are_others() -> None:
    there: list[str] = []
    for later in (timedelta(0), timedelta(seconds=2), TOGETHER, TOGETHER + timedelta(seconds=1), -TOGETHER):
        there.append(name_for(there, SHOT + later, "IMG_0001.jpg", NOW + timedelta(seconds=len(there))))

    recordings = [recording_of(each) for each in there]

    assert len(set(there)) == len(there)
    assert recordings[0] == recordings[1] == recordings[2] == recordings[4] != recordings[3]
    assert sorted(set(recordings)) == [recordings[0], recordings[3]], "what is brought later comes later by name"


def test_photos_without_a_time_were_each_taken_by_itself() -> None:
    there: list[str] = []
    for _ in range(3):
        there.append(name_for(there, None, "rose.jpg", NOW))

    assert len({recording_of(each) for each in there}) == 3


def test_the_name_of_a_file_tells_its_recording_where_the_photo_has_no_time() -> None:
    there = [name_for([], None, "20260102T030405-007.jpg", NOW)]
    there.append(name_for(there, None, "20260102T030405-007.jpg", NOW))

    assert {recording_of(each) for each in there} == {"20260102T030405"}
    assert len(set(there)) == 2


def test_a_name_is_always_one_that_a_data_set_takes() -> None:
    odd = [
        "../../../etc/000000-1.jpg",
        "a b 123456-1.jpg",
        "123456" * 40 + "-1.jpg",
        "\n123456-2.jpg",
        "-123456-1.jpg",
        "",
    ]

    assert all(PICTURE.fullmatch(name_for([], taken, each, NOW)) for each in odd for taken in (None, SHOT))
