"""The card of a model, for people: `NAME.md` beside `NAME.tflite`. Every figure has its command beside it.

What a reader must know before all figures is said in a sentence or two, at the top of the card and by the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vitcam.frames import LIKELY
from vitcam.model.card import HEADLINE, ModelCard
from vitcam.storage.files import write_atomically
from vitcam_training.evaluation.answers import OTHER_DATASETS, top5_tells
from vitcam_training.evaluation.calibration import RANGE, at_the_edge
from vitcam_training.evaluation.displayed import SURE, SURE_FROM
from vitcam_training.model_card import commands
from vitcam_training.model_card.attempts import HEAD, KEY, attempt_rows, listed
from vitcam_training.weights.metadata import PLANNED

SHIPPED = "int8, a scale for each output channel"
"""The weights of a file whose provenance says nothing else of them."""
LIMITS = "limits"
"""In the provenance: sentences of the recipe on what the model cannot do."""
LITTLE_DISPLAYED = 0.5
"""A model that names a smaller share of the held-out photos gets a caution."""
_READS = {
    "cls_token": "the class token",
    "first": "the first patch's token",
    "mean": "the mean of all patches' tokens",
    "distilled": "the class token and a distillation token",
}


def write_card(model: Path, card: ModelCard) -> None:
    """Write the card of a model file: the whole of it, or nothing."""
    sections = [
        _head(model, card), _figures(model, card), _displayed(model, card), _other_datasets(model, card),
        _attempts(card), _made(model, card),
        _photos(card), _limits(card),
    ]  # fmt: skip
    write_atomically(model.with_suffix(".md"), "\n\n".join(filter(None, sections)) + "\n")


def _head(model: Path, card: ModelCard) -> str:
    spec, (rows, columns) = card.input, card.grid
    cut = "the middle" if spec.resize == "crop" else "the whole picture, squashed"
    share = f" ({spec.crop_fraction:g} of the short side)" if spec.crop_fraction != 1 else ""
    table = [
        ("input", f"{spec.width} × {spec.height} px, RGB bytes: {cut}{share}, {spec.interpolation} interpolation"),
        (
            "network",
            f"ViT, {card.layers} blocks, {card.heads} heads, width {card.width}, {card.parameters:,} parameters",
        ),
        ("patches", f"{rows} × {columns} of {card.patch_size} px; the head reads {_READS[card.pooling]}"),
        ("weights", card.provenance.get("weights", SHIPPED) + _float16(model)),
        ("file", f"{model.stat().st_size / 1e6:.2f} MB"),
        ("temperature", f"{card.temperature:g}, applied in the graph"),
        ("known", _known(card)),
        *_headline(model, card),
        ("licence", card.licence or "not stated"),
    ]
    rows_text = "\n".join(f"| {name} | {value} |" for name, value in table)
    told = "".join(f"\n> **Caution**: {each}\n" for each in card_warnings(card))
    return f"# {card.name}: {card.description}\n{told}\n| | |\n|---|---|\n{rows_text}"


def _headline(model: Path, card: ModelCard) -> list[tuple[str, str]]:
    """The figure that stands for the model, where it is not the first one below."""
    found = card.accuracy.get(HEADLINE)
    if not found:
        return []
    again = commands.evaluating(model, found["data"], found["split"])
    return [("right", f"{_share(found, 'top1')} of {found['n']:,} photos of `{found['data']}`: `{again}`")]


def _float16(model: Path) -> str:
    beside = model.with_suffix(".safetensors")
    return f"; `{beside.name}` holds them in float16" if beside.is_file() else ""


def _known(card: ModelCard) -> str:
    if card.word_capacity:
        return "a word that is more likely than none of the words, else unknown"
    if card.score > 1:
        none = (
            f"; below a familiarity of {card.least_familiarity:g} nats it has no word" if card.least_familiarity else ""
        )
        return f"what is displayed: the finest name, label or group, with a probability of {LIKELY:g} or more{none}"
    if card.least_familiarity is not None:
        return f"from a familiarity of {card.least_familiarity:g} nats on (energy of the logits), else unknown"
    return f"from a probability of {card.threshold:g} on, else unknown"


def _figures(model: Path, card: ModelCard) -> str:
    found = card.accuracy
    if not found:
        return "## Figures\n\nNone were measured."
    again = commands.evaluating(model, commands.measured_on(card), found["split"])
    compare = commands.evaluating(model, commands.measured_on(card), found["split"], model.with_suffix(".safetensors"))
    table = [
        ("top-1", f"{found['top1']:.2%}", again),
        *([("top-5", f"{found['top5']:.2%}", again)] if top5_tells(found) else []),
        ("expected calibration error", f"{found['ece']:.2%}", again),
        *_calibration(found, again),
        ("top-1 of the float32 network", f"{found['float_top1']:.2%}", compare),
        ("same answer as the float32 network", f"{found['agreement']:.2%}", compare),
        ("cosine of the attention to float32's, mean", f"{found['attention_cosine_mean']:.4f}", compare),
        ("the same, worst photo", f"{found['attention_cosine_min']:.4f}", compare),
    ]
    rows = "\n".join(f"| {name} | {value} | `{command}` |" for name, value, command in table)
    photos = f"On the {found['n']:,} photos of the part `{found['split']}` of `{found['data']}`."
    return f"## Figures\n\n{photos}\n\n| figure | value | command |\n|---|---|---|\n{rows}"


def _displayed(model: Path, card: ModelCard) -> str:
    """Risk and coverage; files of older versions lack it."""
    found = card.accuracy
    if "risk_coverage" not in found:
        return ""
    rows = [
        f"| {each['threshold']:g} | {each['coverage']:.1%} | {each['n']:,} | {_share(each, 'right')} |"
        for each in found["risk_coverage"]
    ]
    again = commands.evaluating(model, commands.measured_on(card), found["split"])
    sure = ""
    if found.get("sure") is not None and found.get("sure_right") is not None:
        sure = (
            f" From {found[SURE_FROM]:.2f} on, {SURE:.0%} of it was right on the photos that choose: here that is "
            f"{_share(found, 'sure')} of the photos, and {_share(found, 'sure_right')} of it is right."
        )
    wrong = ""
    if found.get("displayed_ece") is not None:
        wrong = (
            f" At {LIKELY:g}, its probability is {found['displayed_p']:.1%} on average, and its calibration error "
            f"{_displayed_error(found)} over bins of as many photos each; in brackets, that of a perfectly calibrated "
            "model."
        )
    wrong += (
        f" Of the wrong answers {_share(found, 'wrong_displayed')} are displayed." if found["wrong_displayed"] else ""
    )
    return (
        "## What is displayed\n\nThe finest name with at least this probability, and how much of it is right, on the "
        f"same photos.{wrong}{sure} `{again}`\n\n| probability | photos with a name | n | right (95 % interval) |\n"
        "|---|---|---|---|\n" + "\n".join(rows)
    )


def _share(found: dict[str, Any], name: str) -> str:
    if found.get(name) is None:
        return "–"
    return f"{found[name]:.1%} ({found[f'{name}_low']:.1%} to {found[f'{name}_high']:.1%})"


def _displayed_error(found: dict[str, Any]) -> str:
    if found.get("displayed_ece") is None:
        return "–"
    return f"{found['displayed_ece']:.1%} ({found['displayed_ece_if_calibrated']:.1%})"


def _calibration(found: dict[str, Any], command: str) -> list[tuple[str, str, str]]:
    """What belongs beside the error; cards of older versions lack it."""
    if "ece_debiased" not in found:
        return []
    ends = f"{found['ece_low']:.2%} to {found['ece_high']:.2%}"
    return [
        ("the same of a perfectly calibrated model", f"{found['ece_if_calibrated']:.2%}", command),
        ("the same without bias, with its 95 % interval", f"{found['ece_debiased']:.2%} ({ends})", command),
    ]


def _other_datasets(model: Path, card: ModelCard) -> str:
    found = card.accuracy.get(OTHER_DATASETS, [])
    if not found:
        return ""
    rows = [_line_other_datasets(each, commands.evaluating(model, each["data"], each["split"])) for each in found]
    return (
        "## Figures by source\n\nOther photos than it was trained on. A photo that shows none of its labels should not "
        "be called known. Displayed: the share of the photos with a likely name, how much of that is right, and how "
        "far its probability lies from that, over bins of as many photos each; in brackets, the same of a perfectly "
        "calibrated model.\n\n"
        "| photos | n | top-1 (95 % interval) | or its group | error of calibration, debiased | called known | "
        "displayed | right of it | calibration error of it | command |\n|---|---|---|---|---|---|---|---|---|---|\n"
        + "\n".join(rows)
    )


def _line_other_datasets(found: dict[str, Any], command: str) -> str:
    right = group = error = "–"
    shown, right_of_it = _share(found, "displayed"), _share(found, "displayed_right")
    if "displayed_wrong" in found:
        right_of_it = f"as a wrong label {_share(found, 'displayed_wrong')}"
    if "top1" in found:
        right = f"{found['top1']:.1%} ({found['top1_low']:.1%} to {found['top1_high']:.1%})"
        group = f"{found['top1_or_group']:.1%}" if "top1_or_group" in found else group
        error = f"{found['ece_debiased']:.1%} ({found['ece_low']:.1%} to {found['ece_high']:.1%})"
    cells = [
        found["data"],
        f"{found['n']:,}",
        right,
        group,
        error,
        f"{found['known']:.1%}",
        shown,
        right_of_it,
        _displayed_error(found),
        f"`{command}`",
    ]
    return f"| {' | '.join(cells)} |"


def _attempts(card: ModelCard) -> str:
    lines = [HEAD, ["---"] * len(HEAD), *attempt_rows(listed(card))]
    if len(lines) == 2:
        return ""
    table = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
    return (
        "## Attempts\n\nEvery network that was exported under this name, oldest first; one that was weaker on the same "
        f"photos did not take the place of the one before it.\n\n{table}"
    )


def _made(model: Path, card: ModelCard) -> str:
    facts = {
        name: value
        for name, value in epochs_in_words(card.provenance).items()
        if name not in ("weights", LIMITS, KEY, *commands.KEYS)
    }
    versions = facts.pop("versions", {})
    made = commands.made_by(model, card)
    lines = [f"- {name.replace('_', ' ')}: {value}" for name, value in facts.items() if value not in ("", None)]
    lines += ["- versions: " + ", ".join(f"{name} {number}" for name, number in versions.items())] if versions else []
    parts = ["\n".join(lines)] if lines else []
    parts += ["```console\n" + "\n".join(f"$ {command}" for command in made) + "\n```"] if made else []
    curves = model.with_suffix(".svg")
    drawn = (
        "Right answers by the offset of the added rows" if "offset" in facts else "Loss and accuracy, epoch by epoch"
    )
    parts += [f"![{drawn}]({curves.name})"] if curves.exists() else []
    return "## How it was made\n\n" + "\n\n".join(parts) if parts else ""


def _photos(card: ModelCard) -> str:
    rows = [f"| {d.get('data', '')} | {d.get('licence', '')} | {d.get('source', '')} |" for d in card.trained_on]
    return "## Trained on\n\n| what | licence | source |\n|---|---|---|\n" + "\n".join(rows) if rows else ""


def _limits(card: ModelCard) -> str:
    own = card.provenance.get(LIMITS)
    return (
        "## Limits\n\n"
        "It gives every picture one of its labels, also one that shows none of them; some of those stay below the "
        "threshold, not all. It learned from photos with the thing in the middle: what is small, cut off or at the "
        "border of a wide picture is often missed. It names one thing in a picture; it does not count things or say "
        "where they are.\n\n"
        "It is not for decisions in which a mistake does harm: whether a mushroom, a plant or a meal can be eaten, "
        "whether an animal or a street is safe, whether nobody is there, or what an illness is. It does not tell who "
        "a person is, and must not be used for that."
    ) + (f"\n\n{own}" if own else "")


def card_warnings(card: ModelCard) -> list[str]:
    """A sentence or two for each; none for a model that was trained and calibrated as planned."""
    return [*_temperature(card.temperature), *_unfinished(card.provenance), *_names_little(card.accuracy)]


def epochs_in_words(provenance: dict[str, Any]) -> dict[str, Any]:
    """The provenance with its epochs as people read them: `1 of 15` where the run was stopped early."""
    facts = dict(provenance)
    planned = facts.pop(PLANNED, None)
    return facts | ({"epochs": f"{facts.get('epochs', 0)} of {planned}"} if planned else {})


def _temperature(temperature: float) -> list[str]:
    if not at_the_edge(temperature):
        return []
    return [
        f"The temperature is {temperature:g}, an end of the range that was searched ({RANGE[0]:g} to {RANGE[1]:g}): "
        "the probabilities of this model do not say how often it is right. Train it longer, or give it more photos "
        "for calibration, and export it again."
    ]


def _names_little(accuracy: dict[str, Any]) -> list[str]:
    displayed = accuracy.get("displayed")
    if displayed is None or displayed >= LITTLE_DISPLAYED:
        return []
    n = accuracy["n"]
    return [
        f"This model names {round(displayed * n):,} of {n:,} held-out photos. It is not sure enough of the others, and "
        "vitcam displays no name for them. Train it longer, or give it more photos, and export it again."
    ]


def _unfinished(provenance: dict[str, Any]) -> list[str]:
    if not provenance.get(PLANNED):
        return []
    return [
        f"It was exported after {epochs_in_words(provenance)['epochs']} epochs: its training was stopped early. The "
        "same training command continues where it stopped."
    ]
