"""The threads that ask rules and do what they say."""

from vitcam.threads.kinds import ThreadKind

RULES = ThreadKind("asks which rules fire; it begins with the first event", "nothing", "no rule acts", 30.0)
ACT_ON = ThreadKind(
    "does the actions of one kind; one to four threads for each kind, begun with the first action",
    "one action, within its time",
    "actions of this kind are not done",
    180.0,
)
WEBHOOKS = ThreadKind(
    "delivers webhooks; it begins with the first one", "one request, 10 s; the disk", "no webhook is sent", 60.0
)
NTFY = ThreadKind(
    "delivers messages to ntfy; it begins with the first one",
    "requests, 30 s each; a picture, 2 s; the disk",
    "no message is sent to ntfy",
    180.0,
)
PINS = ThreadKind("sets pins low again; it begins with the first pin", "the driver", "pins may stay high", 30.0)
THREADS = {"rules": RULES, "act on": ACT_ON, "webhooks": WEBHOOKS, "ntfy": NTFY, "pins": PINS}
"""By the name of the thread. `act on` has the kind of action behind it."""
