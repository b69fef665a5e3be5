"""A trained network and all that its files say of it beside the weights: what every file of it is made from."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ai_edge_litert.interpreter import Interpreter

from vitcam.errors import UsageError
from vitcam.model.card import ModelCard
from vitcam.model.delegate_message import without_delegate_message
from vitcam.model.runtime import open_interpreter
from vitcam_training.export.flatbuffer import only
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.graph import OUTPUTS, SIGNATURES, to_float
from vitcam_training.export.quantise import Quantisation, allow_float16, delegate_input, find_scheme, quantise
from vitcam_training.export.rewrites import fold
from vitcam_training.export.rounding import round_together
from vitcam_training.vit import ViTConfig
from vitcam_training.weights.checkpoints import Weights, read_network
from vitcam_training.weights.metadata import Metadata, read_metadata


@dataclass(frozen=True)
class Pieces:
    """How much of a graph XNNPACK takes, and in how many pieces. One piece and nothing outside is fast."""

    partitions: int
    outside: int
    """Operators that the interpreter runs itself."""

    @property
    def whole(self) -> bool:
        """Whether nothing is cut."""
        return (self.partitions, self.outside) == (1, 0)

    def __str__(self) -> str:
        """For tables and cards."""
        pieces = "1 piece" if self.partitions == 1 else f"{self.partitions} pieces"
        return f"{pieces}, {self.outside} operators outside"


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A checkpoint, calibrated."""

    about: Metadata
    config: ViTConfig
    weights: Weights = field(repr=False)
    temperature: float = 1.0
    threshold: float = 0.0
    rewrites: Rewrites = Rewrites()  # noqa: RUF009 - frozen
    word_capacity: int = 0
    """For how many words the graph takes its head when it runs; 0: the head is the network's own."""
    row_capacity: int = 0
    """For how many labels that a device adds the graph has room."""

    @classmethod
    def read(cls, checkpoint: Path) -> TrainedNetwork:
        """As it was trained. Raises UsageError if the file is not a checkpoint of vitcam-train."""
        about = read_metadata(checkpoint)
        config, weights = read_network(checkpoint, (about.input.height, about.input.width))
        return cls(about, config, weights)

    def tflite(self, how: Quantisation = Quantisation()) -> bytes:  # noqa: B008 - frozen
        """The graph, without what vitcam puts behind it."""
        return to_tflite(
            self.config, self.weights, self.temperature, self.rewrites, how, self.word_capacity, self.about.rows,
            self.row_capacity,
        )  # fmt: skip

    def card(self, tflite: bytes, how: Quantisation = Quantisation()) -> ModelCard:  # noqa: B008 - frozen
        """What is known of a file before it is measured; of one that is not as usual, how it differs."""
        about, config = self.about, self.config
        inputs, outputs = positions(tflite)
        special = {"weights": f"{how.words}; XNNPACK runs it in {pieces_of(tflite)}", "export_options": how.options}
        return ModelCard(
            name=about.name,
            description=about.description,
            input=about.input,
            inputs=inputs,
            outputs=outputs,
            patch_size=config.patch_size,
            grid=config.grid,
            heads=config.heads,
            layers=config.depth,
            width=config.width,
            embedding_width=0 if config.embedding_width == config.width else config.embedding_width,
            word_capacity=self.word_capacity,
            row_capacity=self.row_capacity,
            parameters=sum(array.size for array in self.weights.values()),
            pooling=config.pooling,
            registers=config.registers,
            temperature=self.temperature,
            threshold=self.threshold,
            trained_on=about.trained_on,
            licence=about.licence,
            provenance={**about.provenance, **({} if how.ships else special)},
        )


def to_tflite(
    config: ViTConfig,
    weights: Weights,
    temperature: float,
    rewrites: Rewrites,
    how: Quantisation = Quantisation(),  # noqa: B008 - frozen
    words: int = 0,
    rows: Sequence[int] = (),
    spare: int = 0,
) -> bytes:
    """Rewrite, convert and quantise. A static file has no `explain`, because the two would share biases.

    The scale of a bias depends on the activations before it, which differ a little between `classify` and `explain`.

    weights  under timm's names, as in PyTorch: a dense layer's is (out, in)
    words    for how many the graph takes the head when it runs; 0: the head is the network's own
    rows     the label of each row of the head; none: row i is label i
    spare    for how many labels that a device adds there is to be room
    """
    scheme = find_scheme(how.scheme)
    if not scheme.convolves:
        rewrites = replace(rewrites, float16=False)
    folded, in_float = fold(config, weights, temperature, rewrites, rows), how.floats
    if not scheme.takes_patches:
        in_float |= {"patches"}
    if "patches" not in in_float and folded.keeps_bytes:
        folded = replace(folded, patches=round_together(folded.patches))
    floats = to_float(folded, in_float, words, spare, scheme.by_converter)
    if scheme.needs_photos:
        return quantise(only(SIGNATURES[0], floats), how.scheme, how.photos)
    return quantise(allow_float16(delegate_input(floats)), how.scheme, how.photos)


def pieces_of(tflite: bytes, signature: str = SIGNATURES[0]) -> Pieces:
    """What XNNPACK makes of one signature here."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, signature)
        path.write_bytes(only(signature, tflite))
        runtime = open_interpreter(path, threads=1).info
        return Pieces(runtime.partitions, runtime.outside)


def check_partitions(tflite: bytes) -> None:
    """Raise UsageError unless XNNPACK runs each signature as one piece; more pieces are several times slower."""
    for signature in SIGNATURES:
        found = pieces_of(tflite, signature)
        if not found.whole:
            raise UsageError(
                f"XNNPACK runs `{signature}` in {found}; one piece with none outside is needed, so this "
                "network cannot be exported with the ai-edge-litert that is installed"
            )


def positions(tflite: bytes) -> tuple[dict[str, int], dict[str, int]]:
    """Name of each input and of each output -> its place among the interpreter's.

    The converter orders both as it likes.
    """
    with without_delegate_message():
        graph = Interpreter(model_content=tflite)
        graph.allocate_tensors()
    classify = graph.get_signature_runner(SIGNATURES[0])
    ins = [detail["index"] for detail in graph.get_input_details()]
    outs = [detail["index"] for detail in graph.get_output_details()]
    given, made = classify.get_input_details(), classify.get_output_details()
    return (
        {name: ins.index(detail["index"]) for name, detail in given.items()},
        {name: outs.index(made[name]["index"]) for name in OUTPUTS if name in made},
    )
