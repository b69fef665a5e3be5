"""Networks on Hugging Face's hub: which one is meant, and its files on this machine.

`huggingface_hub` downloads, continues what was cut off, keeps the files below `HF_HOME`, goes through proxies and sends
`HF_TOKEN`. What it leaves open is done here: the files are compared with the checksums that the hub states, and each
failure becomes one sentence that says what to do.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError, VitcamError
from vitcam_training.weights.published.network import CONFIG, PREPROCESSING, TENSORS, TOKENIZER
from vitcam_training.weights.published.shards import INDEX, check_shards, shards_of

CARD = "README.md"
FILES = (CONFIG, TENSORS, INDEX, PREPROCESSING, TOKENIZER, CARD)
"""All that is downloaded, besides the files that the index lists where there is no single one. No pickles: they hold
the same tensors, and may hold code."""
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class HubAddress:
    """Where a network lies on the hub."""

    repository: str
    """ORG/NAME."""
    revision: str | None = None
    """A branch, a tag or a commit; None: the newest."""

    def __str__(self) -> str:
        return f"hf:{self.repository}" + (f"@{self.revision}" if self.revision else "")


@dataclass(frozen=True)
class Download:
    """A network's files on this machine."""

    folder: Path
    commit: str
    """Which state of the repository this is: 40 hexadecimal digits."""
    licence: str
    """As its card on the hub states it; empty where it does not."""


def parse_address(text: str) -> HubAddress | None:
    """`hf:ORG/NAME`, `hf:ORG/NAME@REVISION` or `timm:NAME`. None: it is none of these, so a path.

    raises  UsageError for such a beginning without a name that the hub can have
    """
    kind, colon, rest = text.partition(":")
    if not colon or kind not in ("hf", "timm"):
        return None
    name, _, revision = rest.partition("@")
    repository = f"timm/{name}" if kind == "timm" else name
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise UsageError(f"{text!r} names no network; allowed: hf:ORG/NAME, hf:ORG/NAME@REVISION, timm:NAME")
    return HubAddress(repository, revision or None)


def download(address: HubAddress) -> Download:
    """Bring the files of a network here, or find those that are here already.

    raises  UsageError if there is no such network, if it may not be had, or if it has no safetensors; VitcamError if
            the hub cannot be reached, if a file is not what the hub says, or if the disk is full
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import ModelCard, snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()

    def fetch(revision: str | None, files: Sequence[str]) -> Path:
        try:
            return Path(snapshot_download(address.repository, revision=revision, allow_patterns=list(files)))
        except Exception as error:
            raise _explained(address, error) from error

    folder, shards = fetch(address.revision, FILES), tuple[str, ...]()
    if not (folder / TENSORS).is_file():
        if not (folder / INDEX).is_file():
            raise UsageError(f"{address} has no {TENSORS}; vitcam reads no pickles, so ask its authors for that file")
        shards = tuple(shards_of(folder / INDEX))
        fetch(folder.name, shards)  # of the same commit
        check_shards(folder, shards)
    for name in (*FILES, *shards):
        if (folder / name).is_file():
            _verify(folder / name)
    licence = ModelCard.load(folder / CARD).data.get("license") if (folder / CARD).is_file() else None
    return Download(folder, folder.name, str(licence or ""))


def _verify(file: Path) -> None:
    """Large files are kept under their SHA-256. Raises VitcamError if one is another, and removes it."""
    kept = file.resolve()
    if not SHA256.fullmatch(kept.name):
        return
    with kept.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != kept.name:
        kept.unlink()
        file.unlink()
        raise VitcamError(
            f"{file.name} was damaged on its way: its SHA-256 is {found[:12]}…, the hub says {kept.name[:12]}…; it was "
            "removed, so run the same command again"
        )


def _explained(address: HubAddress, error: Exception) -> VitcamError:
    """The sentence for what went wrong."""
    from huggingface_hub import errors

    page = f"https://huggingface.co/{address.repository}"
    if isinstance(error, errors.GatedRepoError):
        return UsageError(f"{address} is gated: accept its terms at {page}, then set HF_TOKEN to a token of yours")
    if isinstance(error, errors.RevisionNotFoundError):
        return UsageError(f"{address.repository} has no revision {address.revision!r}; {page}/commits/main lists them")
    if isinstance(error, errors.RepositoryNotFoundError):
        return UsageError(
            f"the hub has no {address}, or it is private; check the name, or set HF_TOKEN to a token of yours"
        )
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError):
        return VitcamError(f"{address} cannot be kept on this disk ({error.strerror}); HF_HOME names another folder")
    return VitcamError(
        f"{address} cannot be downloaded ({_reason(error)}); try again later, or download {CONFIG}, {TENSORS} and, "
        f"where it has them, {PREPROCESSING} and {TOKENIZER} from {page} by hand into a folder and give that folder"
    )


def _reason(error: Exception) -> str:
    """The first line of the deepest cause."""
    while error.__cause__ or error.__context__:
        cause = error.__cause__ or error.__context__
        if not isinstance(cause, Exception):
            break
        error = cause
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
