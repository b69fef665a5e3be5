"""What a run says of itself to Prometheus. In: state, times and events of the run. Out: a text of figures."""

from vitcam.run.part import Part

PART = Part(
    "metrics",
    make="vitcam.parts.metrics.event_counts:make",
    routes="vitcam.parts.metrics.routes:HANDLERS",
    paths=("metrics",),
)
