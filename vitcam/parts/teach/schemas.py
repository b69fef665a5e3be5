"""What the routes of data sets, the inbox and teaching take and answer."""

from typing import get_args

from vitcam.parts.teach.datasets.collector import Recorded
from vitcam.parts.teach.datasets.intake import Brought
from vitcam.parts.teach.datasets.store import DataSet
from vitcam.parts.teach.inbox.entry import Why
from vitcam.parts.teach.inbox.target import TeachingTarget
from vitcam.web.openapi.schema import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    Schema,
    array_of,
    described,
    named,
    nullable,
    of_type,
    one_of,
    record,
)


def schemas() -> dict[str, Schema]:
    """Every schema by its name."""
    return {
        "CollectRequest": record(
            {
                "label": TEXT,
                "dataset": TEXT,
                "zone": nullable(TEXT, "Null: any."),
                "count": nullable(COUNT, "So many pictures."),
                "seconds": nullable(NUMBER, "As many as come in this time."),
                "whole": described(FLAG, "Keep the whole frame beside each picture."),
            },
            "What to collect. Without `count` and `seconds`: ten seconds.",
            optional=("dataset", "zone", "count", "seconds", "whole"),
        ),
        "Recorded": described(of_type(Recorded), "How the newest recording is, or was."),
        "DataSets": record({"datasets": array_of(of_type(DataSet)), "bytes": COUNT, "max_mb": NUMBER}),
        "Brought": described(of_type(Brought), "What became of a photo."),
        "Pictures": record({"pictures": array_of(TEXT)}),
        "PictureEdit": record({"label": TEXT}),
        "InboxAnswer": record(
            {
                "label": nullable(TEXT, "Null: it is thrown away."),
                "dataset": described(TEXT, "Where it goes; that of the model in use if none is named."),
            },
            optional=("dataset",),
        ),
        "Inbox": record(_inbox(), "Pictures that wait to be named, and what the names are taught to."),
        "TeachRequest": record(
            {
                "dataset": TEXT,
                "name": described(TEXT, "Of the new model."),
                "base": described(TEXT, "The model that is taught. Empty: that in use, or what it was taught from."),
                "add_to": described(FLAG, "True: it knows the labels of its base, too."),
                "compare": described(FLAG, "True: compare it with the model in use, on pictures new to both."),
            },
            optional=("base", "add_to", "compare"),
        ),
    }


def _inbox() -> dict[str, Schema]:
    picture = record(
        {
            "id": TEXT,
            "why": one_of(get_args(Why), "`corrected`: a person said that an event shows something else."),
            "time": described({"type": "string", "format": "date-time"}, "When it was kept, in UTC."),
            "top": array_of(named("Guess"), "What the model took it for, the most probable first."),
            "model": TEXT,
            "zone": nullable(TEXT, "Null: the whole view."),
            "label": nullable(TEXT, "What the person called it."),
        }
    )
    return {
        "pictures": array_of(picture, "The most informative first."),
        "bytes": COUNT,
        "most": described(COUNT, "So many are kept."),
        "max_mb": NUMBER,
        "trouble": described(TEXT, "Why no picture is put there now; empty: pictures are."),
        "labels": array_of(TEXT, "Of the data set, the most frequent first."),
        "counts": {"type": "object", "additionalProperties": COUNT, "description": "Pictures of each of them."},
        "enough": described(COUNT, "So many pictures of a label should be there before the model is taught."),
        **of_type(TeachingTarget)["properties"],
        "corrections": described(COUNT, "Named pictures in the data set that the model in use was not taught with."),
    }
