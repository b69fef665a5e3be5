"""From words to the head of a model: tokens, vectors of a text tower, the mean over templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model.text.text_file import TextFile
from vitcam.model.text.text_tower import TextTower
from vitcam.model.words import Words

ALIKE = 0.985
"""From this cosine on two words mean the same to a network: no picture could tell them apart."""
TEXTS_AT_ONCE = 64
"""More need more memory and are not faster."""


def checked_words(given: Sequence[str]) -> tuple[str, ...]:
    """The words as labels: without space around them.

    raises  UsageError for none, for an empty one, for a line break in one, and for one that comes twice
    """
    words = tuple(" ".join(word.split()) for word in given)
    if not words:
        raise UsageError("no words were given; give one or more, each in quotes, such as 'a cat on the table'")
    seen: dict[str, str] = {}
    for word in words:
        if not word:
            raise UsageError("one of the words is empty; give each as text, such as 'a cat on the table'")
        if word.casefold() in seen:
            raise UsageError(f"{word!r} is given twice; leave out one of them")
        seen[word.casefold()] = word
    return words


def vectors_of(file: TextFile, words: Sequence[str], capacity: int) -> Words:
    """The head for these words, and for none of them.

    words     as `checked_words` gives them
    capacity  for how many vectors the model has room
    raises    UsageError for too many words, for one that is too long, and for two that mean the same; ModelError if
              tokenizer and text tower do not belong together; VitcamError if the package `tokenizers` is not installed
    """
    if len(words) >= capacity:
        raise UsageError(f"{len(words)} words are too many; the model has room for {capacity - 1}")
    encoder = _TextEncoder(file)
    about = file.about
    texts = [template.replace("{}", word) for word in words for template in about.templates]
    found = encoder.embed(texts).reshape(len(words), len(about.templates), -1).mean(axis=1)
    vectors = _unit(np.concatenate([found, encoder.embed(about.none).mean(axis=0, keepdims=True)]))
    _check_apart(words, vectors[:-1])
    return Words((vectors * about.logit_scale).astype(np.float32))


class _TextEncoder:
    """Texts -> vectors."""

    def __init__(self, file: TextFile) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise VitcamError(
                "the package `tokenizers` is not installed, which other words need: pip install 'vitcam[words]'"
            ) from error
        self._path = file.path
        self._tower = TextTower(file.about.sizes, file.weights)
        try:
            self._tokenizer = Tokenizer.from_str(file.tokenizer)
        except Exception as error:  # what it raises is of no class of its own
            raise self._strangers(f"its tokenizer cannot be read ({error})") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        known = self._tokenizer.get_vocab_size()
        if known > self._tower.vocabulary:
            raise self._strangers(f"its tokenizer knows {known} tokens, its text tower {self._tower.vocabulary}")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, S), each of length 1."""
        tokens = [self._tokens(text) for text in texts]
        try:
            return np.concatenate([self._tower.embed(some) for some in _portions(tokens)])
        except ValueError as error:  # NumPy's, of shapes
            raise self._strangers(f"the tensors of its text tower do not fit ({error})") from error

    def _tokens(self, text: str) -> list[int]:
        try:
            ids: list[int] = self._tokenizer.encode(text).ids
        except Exception as error:  # of no class of its own, as above
            raise self._strangers(f"its tokenizer does not know {text!r} ({error})") from error
        if len(ids) > self._tower.longest:
            raise UsageError(f"{text!r} is too long: {len(ids)} tokens, {self._tower.longest} are allowed; shorten it")
        end = self._tower.sizes.end
        if not ids or (end is not None and end not in ids):
            raise self._strangers(f"its tokenizer does not end texts with the token {end}")
        return ids

    def _strangers(self, why: str) -> ModelError:
        return ModelError(f"{self._path} cannot be used: {why}; import the network again")


def _portions(texts: list[list[int]]) -> Iterator[list[list[int]]]:
    return (texts[i : i + TEXTS_AT_ONCE] for i in range(0, len(texts), TEXTS_AT_ONCE))


def _check_apart(words: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Raise UsageError if two of the words are the same to the network."""
    cosines = vectors @ vectors.T
    for i, j in combinations(range(len(words)), 2):
        if cosines[i, j] >= ALIKE:
            raise UsageError(f"{words[i]!r} and {words[j]!r} mean the same to this network; leave out one of them")


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
