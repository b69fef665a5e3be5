"""Frame in, Prediction out: preprocess, invoke, top-k, attention, timings."""

import copy
import math
import time
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError, UsageError
from vitcam.frames import LIKELY, Frame, Guess, Image, ModelIdentity, Prediction, Timings
from vitcam.model import bundle
from vitcam.model.bank import Bank
from vitcam.model.card import card_of_graph, check_inputs, check_outputs
from vitcam.model.evidence import evidence_share, weights_on_grid
from vitcam.model.files import DEFAULT, content_of, find_model
from vitcam.model.foreign_inputs import input_values
from vitcam.model.foreign_outputs import outputs_of, softmax
from vitcam.model.golden import GoldenResult, Names, checked
from vitcam.model.groups import Groups
from vitcam.model.labels import check_labels, most_probable, read_labels
from vitcam.model.out_of_distribution import contrast, familiarity, logistic, logit
from vitcam.model.runtime import RuntimeInfo, default_threads, open_interpreter
from vitcam.model.spare_rows import AddedRows
from vitcam.model.taught import ABOVE, own_of, places_of
from vitcam.model.trial import check_by_trial
from vitcam.model.words import Words
from vitcam.names.active import ActiveNames
from vitcam.names.everyday import everyday_words
from vitcam.names.naming import Naming
from vitcam.names.vocabulary import Vocabulary
from vitcam.pictures.resize import InputSpec, brightened, chosen_part, crop_of, frame_of_picture, of_model_size
from vitcam.rects import Rect

EXPLAIN = "explain"  # the signature that also gives rollout and rows
_ON_REQUEST = ("class_token", "patch_mean", "margin")


class Classifier:
    """A loaded model. Not thread-safe: each thread opens its own.

    model    a name such as `everyday`, or a `.tflite` file
    threads  of XNNPACK; None: see `default_threads`
    labels   a text file with one label a line, instead of the model's own
    top_k    how many guesses a prediction carries
    likely   from which probability on a name is displayed
    raises   ModelError if the file is not a model, or its labels, outputs or input do not fit together
    """

    def __init__(
        self,
        model: str | Path = DEFAULT,
        *,
        threads: int | None = None,
        labels: Path | None = None,
        top_k: int = 5,
        likely: float = LIKELY,
    ) -> None:
        if top_k < 1:
            raise UsageError(f"top-k is {top_k}; at least 1 is needed")
        self.path = find_model(str(model))
        content = content_of(self.path)  # read once, so that a later change of the file has no effect
        described = bundle.read(self.path, content)
        if described is None or not described.card.graph_sha256:
            check_by_trial(self.path, content)
        if described and described.card.bank:
            content = content[: described.graph_bytes]  # the interpreter keeps it, and so it would keep the bank
        # a file of our own: its signatures do not need one another
        self.graph = open_interpreter(self.path, threads or default_threads(), content, apart=described is not None)
        self.card = described.card if described else card_of_graph(self.path, self.graph)
        self.fingerprint = described.fingerprint if described else ""
        self._identity = ModelIdentity(self.card.name, self.fingerprint, likely)
        self.labels = read_labels(labels) if labels else described.labels if described else ()
        self.golden, self.blank = (described.golden, described.blank) if described else ((), ())
        self.groups = described.groups if described and len(described.labels) == len(self.labels) else None
        self._own_names = dict(zip(described.labels, self.labels, strict=False)) if described else {}
        self.top_k = top_k
        self._read = tuple((name, position) for name, position in self.card.outputs.items() if name not in _ON_REQUEST)
        self._names: ActiveNames | None = None
        self._named: tuple[Naming, Groups] | None = None
        self._everyday: tuple[tuple[str, ...], Mapping[str, str]] = ((), {})
        words = described.words.inputs(self.card.word_capacity) if described and described.words else {}
        self._taught = described.taught if described else None
        self.taught_pictures = self._taught.pictures if self._taught else frozenset()
        check_inputs(self.path, self.graph.inputs, self.card, words)
        check_outputs(self.path, self.graph.outputs, self.card)
        position = self.card.outputs["probabilities"]
        self._first, count = places_of(self._taught, self.graph.outputs[position].shape[-1] - self.card.row_capacity)
        check_labels(self.path, self.labels, len(described.labels) if described and words else count)
        self._own_labels = self.labels
        rows = self._taught.graph_inputs() if self._taught else AddedRows.none(self.card)
        self._given = words or rows.inputs(self.card)
        self._give_head()
        self.outputs = self.card.scores if described else outputs_of(self.path, self.graph, self.card)

    def clone(self, threads: int) -> "Classifier":
        """The same model for another thread. It has an interpreter of its own and shares everything else."""
        other = copy.copy(self)
        other.graph = self.graph.clone(threads)
        other._has_head = False
        return other

    def give_back(self) -> None:
        """Free what explanations take, until the next one. Only in the thread that uses it."""
        self.graph.give_back()

    def take_words(self, labels: tuple[str, ...], words: Words) -> None:
        """Take other labels. Only for a model whose labels are words, and in the thread that uses it."""
        self._given, self.labels, self._own_names = words.inputs(self.card.word_capacity), labels, {}
        self._has_head = False

    def take_rows(self, added: AddedRows) -> None:
        """Take further labels, behind the model's own and in place of those that were taken before.

        Only in the thread that uses it; clones that are made later have them, too.

        raises  UsageError if there is no room, their size is wrong, or it knows one of the labels or was taught before
        """
        if self._taught:
            raise UsageError(f"{self.card.name} was taught its labels; teach all of them together to its base")
        twice = {label for label in added.labels if (*self._own_labels, *added.labels).count(label) > 1}
        if twice:
            raise UsageError(f"{self.card.name} would know {min(twice)!r} twice; give the new label another name")
        self._given = added.inputs(self.card)
        self.labels = (*self._own_labels, *added.labels)
        self._has_head = False

    def bank(self) -> Bank | None:
        """What the model made of photos that it was trained on; None if its file does not say. Reads the file.

        raises  ModelError if the file has been replaced or cannot be read
        """
        return bundle.read_bank(self.path, self.card)

    def _give_head(self) -> None:
        """The graph keeps what it was given once."""
        for name, value in self._given.items():
            self.graph.set_input(value, self.card.inputs[name])
        self._has_head = True

    def call_by(self, names: ActiveNames) -> None:
        """Call labels and groups by these names, as they are at each picture. What is cloned later does, too."""
        self._names = names

    @property
    def naming(self) -> Naming | None:
        """What labels and groups are called now; None: as the model says."""
        if self._names is None:
            return None
        return self._names.of(self.labels, self.groups.members if self.groups else {})

    @property
    def displayed_labels(self) -> tuple[str, ...]:
        """The labels as predictions name them now."""
        naming = self.naming
        return self.labels if naming is None else naming.labels

    def vocabulary(self) -> Vocabulary:
        """By which texts labels and groups may be named; it goes with the names and the words of this model."""
        members = self.groups.members if self.groups else {}
        return Vocabulary(self._names or ActiveNames(), lambda: (self.labels, members))

    def with_top_k(self, top_k: int) -> "Classifier":
        """The same model with another number of guesses. It shares the interpreter, so use it in the same thread."""
        other = copy.copy(self)
        other.top_k = top_k
        return other

    @property
    def identity(self) -> ModelIdentity:
        """What its predictions say that answered."""
        return self._identity

    @property
    def input(self) -> InputSpec:
        """The size and resize mode of the model's input."""
        return self.card.input

    @property
    def runtime(self) -> RuntimeInfo:
        """What runs it."""
        return self.graph.info

    @property
    def threshold(self) -> float:
        """Below this certainty a picture shows something that the model has no word for."""
        return self.card.threshold if self.card.least_familiarity is None else self.card.least_familiarity

    @property
    def explains(self) -> bool:
        """Whether the model can give the attention of all of its blocks."""
        return EXPLAIN in self.graph.signatures

    @property
    def gives(self) -> frozenset[str]:
        """Which optional weights of the patches the model can give: `rollout`, `evidence`."""
        given = {"rollout": self.explains, "evidence": "evidence" in self.card.outputs}
        return frozenset(name for name, is_given in given.items() if is_given)

    def __call__(self, frame: Frame, explain: bool = False, features: bool = True) -> Prediction:
        """Classify one frame; blocks for one inference.

        explain   also give rollout and rows, which takes about a tenth more time; no effect if `explains` is False
        features  False: leave out `features` and `evidence_share`, which nobody asks for while a camera runs
        """
        image, given, preprocess_ms = self._prepare(frame)
        outputs, infer_ms = self._run(given, explain, features)
        return self._prediction(frame, outputs, image, preprocess_ms, infer_ms)

    def in_steps(self, frame: Frame) -> Generator[None, None, Prediction]:
        """The same in three steps. An inference replaces what is in the processor's caches, so of several frames each
        step is done of all before the next."""
        image, given, preprocess_ms = self._prepare(frame)
        yield
        outputs, infer_ms = self._run(given)
        yield
        return self._prediction(frame, outputs, image, preprocess_ms, infer_ms)

    def _prepare(self, frame: Frame) -> tuple[Image, Image, float]:
        """The picture at the model's size, as it goes into the model, and the ms that this took."""
        started = time.perf_counter_ns()
        image = frame.model_input
        if image is None or image.shape[:2] != (self.input.height, self.input.width):
            image = of_model_size(frame, self.input)
        return image, brightened(image, self.input), (time.perf_counter_ns() - started) / 1e6

    def _run(self, image: Image, explain: bool = False, features: bool = True) -> tuple[dict[str, NDArray[Any]], float]:
        """The outputs by name, and the ms that they took; a quantised output of a foreign model as floats."""
        started = time.perf_counter_ns()
        if explain and self.explains:
            outputs = self.graph.run_signature(EXPLAIN, {"image": image[None], **self._given})
        else:
            if not self._has_head:
                self._give_head()
            place = self.card.inputs["image"]
            self.graph.set_input(input_values(image, self.graph.inputs[place], self.card.mean, self.card.std), place)
            self.graph.invoke()
            read = self.card.outputs.items() if features else self._read
            outputs = {name: self.graph.get_real(position) for name, position in read}
        return outputs, (time.perf_counter_ns() - started) / 1e6

    def _prediction(
        self, frame: Frame, outputs: dict[str, NDArray[Any]], image: Image, preprocess_ms: float, infer_ms: float
    ) -> Prediction:
        # not before the inference: OpenCV releases the GIL, and the thread that was woken to read the next frame would
        # take it
        blank = contrast(image) < self.card.least_contrast
        given = softmax(outputs["probabilities"]) if self.outputs == "logits" else outputs["probabilities"]
        # before it are the graph's labels where others stand alone, behind it places for more words or rows
        probabilities = own = own_of(given, self._first, len(self.labels), self._taught)
        labels, groups = self.labels, self.groups
        if (naming := self.naming) is not None:
            probabilities, labels, groups = naming.merged(own), naming.labels, self._groups_of(naming)
        try:
            best = most_probable(probabilities, self.top_k)
        except ValueError as error:
            why = f"{self.path} gave probabilities that are not numbers; verify it, or export it again"
            raise ModelError(why) from error
        top = tuple(Guess(labels[i], float(probabilities[i])) for i in best)
        best_p = top[0].p if probabilities is own else max(top[0].p, float(own.max()))  # also where it is hidden
        certainty = -math.inf if blank else self._certainty(best_p, own, given)
        read = [outputs[name] for name in ("class_token", "patch_mean") if name in outputs]
        on_grid = partial(weights_on_grid, self.path, self.card.grid)
        height, width = frame.preview.shape[:2]
        total_ms = (time.monotonic_ns() - frame.captured_ns) / 1e6
        prediction = Prediction(
            source=frame.source,
            path=frame.path,
            seq=frame.seq,
            captured_ns=frame.captured_ns,
            size=(width, height),
            crop=self._seen(frame),
            top=top,
            known=certainty >= self.threshold,
            familiarity=None if self.card.least_familiarity is None else logistic(certainty - self.threshold),
            certainty=certainty,
            ms=Timings(frame.capture_ms, preprocess_ms, infer_ms, total_ms),
            attention=on_grid(outputs.get("attention"), self.card.heads),
            embedding=outputs.get("embedding"),
            features=np.concatenate(read) if read else None,
            groups=groups.likely(best[0], probabilities, labels) if groups else (),
            rollout=on_grid(outputs.get("rollout")),
            rows=on_grid(outputs.get("rows"), self.card.layers, self.card.heads),
            evidence=on_grid(outputs.get("evidence")),
            blank=blank,
            unfamiliar=not blank and certainty < self.threshold,
            evidence_share=evidence_share(outputs, ABOVE if self._first else 0.0),
            model=self._identity,
            everyday=self._everyday_names() if naming is None else naming.everyday,
        )
        if self.card.score == 1 or prediction.shown.level != "none":
            return prediction
        return replace(prediction, known=False)

    def classify_image(self, image: Image, source: str = "upload", explain: bool = False) -> Prediction:
        """Classify one picture, (H, W, 3) uint8, RGB, of any size."""
        return self(frame_of_picture(image, self.input, source), explain)

    def classify_part(self, image: Image, crop: Rect, source: str) -> Prediction:
        """Classify the part `crop`, in px, of one picture, (H, W, 3) uint8, RGB."""
        return self(Frame(image, None, crop, 0, time.monotonic_ns(), source))

    def _everyday_names(self) -> Mapping[str, str]:
        """Where all is called as the model says."""
        labels, found = self._everyday
        if labels is not self.labels:
            found = everyday_words(self.labels, self.groups.members if self.groups else {})
            self._everyday = self.labels, found
        return found

    def _groups_of(self, naming: Naming) -> Groups:
        named = self._named
        if named is None or named[0] is not naming:
            named = self._named = naming, Groups(naming.members, len(naming.labels))
        return named[1]

    def _certainty(self, best_p: float, own: NDArray[Any], given: NDArray[Any]) -> float:
        if self.card.word_capacity or (self._taught and self._taught.has_none):
            none = float(given[self._first + len(own)])
            return best_p / (best_p + none) if best_p else 0.0
        if self.card.least_familiarity is None:
            return best_p
        found = familiarity(own, self.card.familiarity_temperature)
        if self._taught is None:
            return found
        return max(found, self.threshold + logit(self._taught.likeliest(given, len(own))))

    def _seen(self, frame: Frame) -> Rect:
        """The part of a frame's preview that the model saw."""
        if frame.model_input is not None:
            return frame.crop
        return chosen_part(frame) or crop_of(self.input, *frame.preview.shape[:2])

    def verify(self) -> tuple[GoldenResult, ...]:
        """Classify the golden images of the file. A wrong runtime or a damaged file gives other answers."""
        names = Names(self._own_names, self.groups, self.labels)
        return tuple(checked(golden, self.answer_golden(golden), names) for golden in (*self.golden, *self.blank))

    def answer_golden(self, golden: bundle.Golden) -> Prediction:
        """What the model says of a golden image, in its own names, and displays unless settings say otherwise.

        They show none of the labels that were taught alone, so these are compared with one another there.
        """
        other = copy.copy(self)
        other._names, other._identity = None, replace(self._identity, likely=LIKELY)
        if golden.top and self._taught:
            other._given = self._taught.graph_inputs(with_none=False).inputs(self.card)
        other._give_head()
        try:
            return other.classify_image(golden.image, "golden")
        finally:
            self._give_head()  # they share the graph
