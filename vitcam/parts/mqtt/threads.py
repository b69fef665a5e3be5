"""The threads that talk with the broker, and do what it asks for."""

from vitcam.threads.kinds import ThreadKind

TALKS = ThreadKind(
    "talks with the MQTT broker", "connecting, 20 s; else nothing", "nothing is sent to the MQTT broker", 60.0
)
DISK = ThreadKind(
    "keeps events until the MQTT broker has them", "the disk", "events are not sent to the MQTT broker", 60.0
)
COMMANDS = ThreadKind(
    "does what the MQTT broker asks for, and makes its pictures",
    "loading a model; the supervisor, 5 s",
    "MQTT commands are not done, and no pictures are sent to the broker",
    90.0,
)
THREADS = {"mqtt": TALKS, "mqtt disk": DISK, "mqtt commands": COMMANDS}
"""By the name of the thread."""
