"""Acting on events: rules of the configuration, and alerts that people make on the page. No action delays a frame."""

from vitcam.parts.alerts.settings import ActionSettings, OnSettings
from vitcam.parts.alerts.state import Actions
from vitcam.parts.alerts.threads import THREADS
from vitcam.run.part import Part, Step, View

_LINE = 'write a line with command = ["sh", "-c", "cat >> /var/lib/vitcam/events.jsonl"]'
PART = Part(
    "alerts",
    sections={"actions": ActionSettings},
    rules={"on": OnSettings},
    removed=dict.fromkeys(("on.file", "on.file_mb", "on.file_keep"), _LINE),
    state={"actions": Actions},
    threads=THREADS,
    make="vitcam.parts.alerts.make:make",
    routes="vitcam.parts.alerts.routes:HANDLERS",
    view=View(
        "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 22h4",
        order=2,
        hears="alert",
        on_event="alerts.next_time",
        step=Step("alerts.setup", "alerts.setup.hint", "alerts.new"),
    ),
    schemas="vitcam.parts.alerts.schemas:alert_schemas",
    checks="vitcam.parts.alerts.checks:CHECKS",
    verbs={"actions": "vitcam.parts.alerts.actions"},
    after="config",
    extra="notify",
)
