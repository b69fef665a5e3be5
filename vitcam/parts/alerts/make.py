"""Makes the objects of a run that act on events."""

from vitcam.daemon.run import Run
from vitcam.folders import state_folder
from vitcam.parts.alerts.rule_engine import RuleEngine
from vitcam.parts.alerts.running_alerts import RunningAlerts
from vitcam.parts.alerts.saved_alerts import SavedAlerts
from vitcam.parts.alerts.stored_events import StoredEvents


def make(run: Run) -> list[object]:
    """The rules, also where there are none yet; and alerts, where the run is live."""
    engine = RuleEngine(
        run.settings,
        run.vocabulary,
        lambda: run.model.value.words is not None,
        run.outbox,
        run.environ,
        StoredEvents(run.history),
        run.pages,
        run.objects,
    )
    if not run.is_live:
        return [engine]
    return [engine, RunningAlerts(engine, SavedAlerts(state_folder(run.environ), run.unsaved), run.areas)]
