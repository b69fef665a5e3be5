"""Other cameras with vitcam, for the wall. In: their addresses and tokens. Out: how each is, and its newest still."""

from vitcam.parts.peers.settings import OPEN, PeerSettings
from vitcam.parts.peers.state import PeerCount
from vitcam.run.part import Part, View
from vitcam.threads.kinds import ThreadKind

ASKS = ThreadKind(
    "asks other cameras for the wall, all at once; it begins when somebody looks",
    "another camera, 5 s",
    "the wall shows nothing new",
    30.0,
)
NAMES = ThreadKind(
    "looks up the name of another camera", "the network", hangs="the wall says so, and nothing waits for it"
)
PART = Part(
    "peers",
    sections={"peers": PeerSettings},
    open_sections={"peers": OPEN},
    state={"peers": PeerCount},
    threads={"peers": ASKS, "peer-name": NAMES},
    make="vitcam.parts.peers.watch:make",
    routes="vitcam.parts.peers.routes:HANDLERS",
    page="wall",
    view=View("M4 4h7v7H4zM14 4h6v7h-6zM4 14h7v6H4zM14 14h6v6h-6z", order=3),
    checks="vitcam.parts.peers.checks:checks",
    verbs={f"token {verb}": f"vitcam.parts.peers.cli.{verb}" for verb in ("peer", "forget")},
    tokens="vitcam.parts.peers.access:kept_tokens",
)
