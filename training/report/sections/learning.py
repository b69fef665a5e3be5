"""Loss and accuracy, epoch by epoch."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from vitcam_training.report.charts import Axis, Mark, dots, legend, line, linear_axis, log_axis, percent_axis, plot
from vitcam_training.report.markup import Node, missing, paragraph, table, tag
from vitcam_training.report.material import Material

History = dict[str, list[float]]

INTRO = (
    "Training figures are means over an epoch while the weights changed, on changed pictures and, where the recipe has "
    "them, with dropout and smoothed labels; test figures are those of the averaged weights at its end. So the curve "
    "of training may be the worse one."
)


def learning(material: Material) -> list[Element]:
    """Two diagrams from the history that the weights carry."""
    if material.about is None:
        return [missing("No weights lie beside the model. Those that export writes contain the figures of all epochs.")]
    if not material.about.history.get("test_loss"):
        return [missing("The weights beside the model contain no figures of epochs: they were trained elsewhere.")]
    history = material.about.history
    losses = [value for part in ("train", "test") for value in history[f"{part}_loss"] if value > 0]
    shares = [value for part in ("train", "test") for value in history[f"{part}_accuracy"]]
    loss = log_axis("cross-entropy", min(losses, default=0.1) * 0.9, max(losses, default=1.0) * 1.1)
    accuracy = percent_axis("right answers", max(0.0, min(shares) - 0.02), 1.0)
    both = _curves(history, "loss", "Loss", loss), _curves(history, "accuracy", "Right answers", accuracy)
    return [paragraph(INTRO), tag("div", *both, class_="charts"), _three(history)]


def _curves(history: History, kind: str, title: str, axis: Axis) -> Element:
    last = history["epoch"][-1]
    marks: list[Mark] = []
    for part, colour in (("train", "plain"), ("test", "accent")):
        figures = history[f"{part}_{kind}"]
        points = list(zip(history["epoch"], figures, strict=True))
        says = [f"epoch {epoch:g}, {part}: {value:.4g}" for epoch, value in points]
        marks += [line(points, colour), dots(points, colour, says, [2.5] * len(points))]
    words = f"After {last:g} epochs, test: {history[f'test_{kind}'][-1]:.4g}"
    drawn = plot(title, words, linear_axis("epoch", 1, max(2, last)), axis, *marks)
    drawn.append(legend(("plain", "training, as trained"), ("accent", "test")))
    return drawn


def _three(history: History) -> Element:
    epochs = len(history["test_loss"])
    best = max(range(epochs), key=history["test_accuracy"].__getitem__)
    rows: list[list[Node]] = [
        [
            name,
            f"{history['epoch'][i]:g}",
            f"{history['train_loss'][i]:.4f}",
            f"{history['test_loss'][i]:.4f}",
            f"{history['test_accuracy'][i]:.2%}",
        ]
        for name, i in (("first", 0), ("best of the test", best), ("last", epochs - 1))
    ]
    head = ("", "epoch", "training loss", "test loss", "test: right answers")
    return table("Three epochs in figures", head, rows, "figures")
