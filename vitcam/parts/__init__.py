"""What vitcam can do beside seeing: a folder for each part. None of them imports another one.

Without its folder, its line here and its tests, a part is gone, and all else works as before.
"""

from collections.abc import Mapping

from vitcam.parts.alerts import PART as ALERTS
from vitcam.parts.backup import PART as BACKUP
from vitcam.parts.batch import PART as BATCH
from vitcam.parts.clips import PART as CLIPS
from vitcam.parts.guide import PART as GUIDE
from vitcam.parts.heat import PART as HEAT
from vitcam.parts.learn import PART as LEARN
from vitcam.parts.metrics import PART as METRICS
from vitcam.parts.mqtt import PART as MQTT
from vitcam.parts.peers import PART as PEERS
from vitcam.parts.photos import PART as PHOTOS
from vitcam.parts.problems import PART as PROBLEMS
from vitcam.parts.records import PART as RECORDS
from vitcam.parts.replay import PART as REPLAY
from vitcam.parts.second import PART as SECOND
from vitcam.parts.teach import PART as TEACH
from vitcam.run.part import Part, load_each

PARTS: tuple[Part, ...] = (
    BACKUP,
    BATCH,
    CLIPS,
    ALERTS,
    HEAT,
    TEACH,
    METRICS,
    LEARN,
    PHOTOS,
    GUIDE,
    PROBLEMS,
    SECOND,
    MQTT,
    PEERS,
    RECORDS,
    REPLAY,
)
"""In the order in which their objects are called; they end in the opposite one."""


def before_run(environ: Mapping[str, str]) -> list[str]:
    """What parts have done before a run reads its folders, as sentences. Raises VitcamError where they cannot."""
    return [sentence for begin in load_each(part.before_run for part in PARTS) for sentence in begin(environ)]
