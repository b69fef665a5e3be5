"""Networks from a hub: a server on loopback answers as Hugging Face's does, and the real `huggingface_hub` asks it."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.refusals import naming
from tests.training.unit.weights.published.random_networks import NETWORKS, saved
from tests.training.unit.weights.published.test_shards import sharded
from vitcam.errors import UsageError
from vitcam_training.weights.metadata import read_metadata
from vitcam_training.weights.published.hub import FILES, HubAddress, parse_address
from vitcam_training.weights.published.shards import read_tensors

SAVED = Path(__file__).parents[2] / "fixtures"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CARD = b"---\nlicense: apache-2.0\n---\n# A network\n"
TOKEN = "hf_a_token_of_ours"
CHUNK = 10 * 1024**2
"""Bytes that the library writes at once; what came of one that was cut off is asked for again."""


@dataclass
class Hub:
    """What the server has, how it behaves, and what it was asked for."""

    files: dict[str, bytes]
    repository: str = "org/net"
    cut_at: int | None = None
    """Bytes of `model.safetensors` after which it hangs up, once."""
    is_gated: bool = False
    is_damaged: bool = False
    """It sends other bytes than it has promised."""
    ranges: list[str] = field(default_factory=list)
    served: int = 0
    """Bytes of files sent."""

    def checksum(self, name: str) -> str:
        return hashlib.sha256(self.files[name]).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """The three kinds of request that the library makes: about a revision, about its files, for a file."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *_: object) -> None:
        """No lines on the test's stderr."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path, hub = self.path.partition("?")[0], self.hub
        about = f"/api/models/{hub.repository}"
        if path in (f"{about}/revision/main", f"{about}/revision/{COMMIT}"):
            self._json({"id": hub.repository, "sha": COMMIT, "siblings": [{"rfilename": name} for name in hub.files]})
        elif path == f"{about}/tree/{COMMIT}":
            self._json([{"type": "file", "path": n, "size": len(b), "oid": "0" * 40} for n, b in hub.files.items()])
        elif path.startswith(f"{about}/revision/"):
            self._refuse("RevisionNotFound")
        elif path.startswith(f"/{hub.repository}/resolve/{COMMIT}/") and (name := path.rpartition("/")[2]) in hub.files:
            if hub.is_gated and self.headers.get("Authorization") != f"Bearer {TOKEN}":
                self._refuse("GatedRepo", 403)
            else:
                self._file(name)
        else:
            self._refuse("RepoNotFound")

    def _json(self, answer: object) -> None:
        self._send(json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def _refuse(self, code: str, status: int = 404) -> None:
        self._send(b"", {"X-Error-Code": code, "X-Error-Message": code}, status)

    def _file(self, name: str) -> None:
        content, headers = self.hub.files[name], {"ETag": f'"{self.hub.checksum(name)}"', "X-Repo-Commit": COMMIT}
        if self.hub.is_damaged and name.endswith(".safetensors"):
            content = content[:-8] + bytes(8)
        asked = self.headers.get("Range", "")
        if asked and self.command == "GET":
            self.hub.ranges.append(asked)
            begin = int(asked.removeprefix("bytes=").rstrip("-"))
            headers["Content-Range"] = f"bytes {begin}-{len(content) - 1}/{len(content)}"
            self._send(content[begin:], headers, 206)
        else:
            self._send(content, headers, 200, name == "model.safetensors")

    def _send(self, content: bytes, headers: dict[str, str], status: int = 200, may_cut: bool = False) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = self.hub.cut_at if may_cut else None
        self.wfile.write(content[:cut])
        self.hub.served += len(content[:cut]) if "ETag" in headers else 0
        if cut is not None:
            self.hub.cut_at = None
            self.close_connection = True


@pytest.fixture
def hub() -> Iterator[tuple[Hub, str]]:
    """A hub with one network, and its address."""
    names = ("config.json", "model.safetensors", "preprocessor_config.json")
    files = {name: (SAVED / "transformers" / "vit" / name).read_bytes() for name in names}
    found = Hub(files | {"README.md": CARD, "pytorch_model.bin": b"never asked for"})
    handler = type("Handler", (Handler,), {"hub": found})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


CALL = """
import json, sys
from vitcam.errors import VitcamError
from vitcam_training.weights.published.hub import HubAddress, download
try:
    got = download(HubAddress(sys.argv[1], sys.argv[2] or None))
    print(json.dumps({"folder": str(got.folder), "commit": got.commit, "licence": got.licence}))
except VitcamError as error:
    print(json.dumps({"error": str(error), "exit_code": error.exit_code}))
"""


@dataclass(frozen=True)
class Caller:
    """Downloads in a process of its own: the library reads its settings once a process."""

    hub: Hub
    environment: dict[str, str]

    def __call__(self, repository: str = "org/net", revision: str = "", **environment: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-c", CALL, repository, revision], env=os.environ | self.environment | environment,
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture
def call(hub: tuple[Hub, str], tmp_path: Path) -> Caller:
    """With an empty cache."""
    return Caller(hub[0], {"HF_ENDPOINT": hub[1], "HF_HOME": str(tmp_path / "home"), "HF_TOKEN": ""})


@pytest.mark.slow("training/weights")
def test_a_network_of_the_hub_becomes_a_checkpoint_with_its_commit_and_licence(call: Caller, tmp_path: Path) -> None:
    out = tmp_path / "net.safetensors"
    done = subprocess.run(
        [Path(sys.executable).with_name("vitcam-train"), "import", "hf:org/net", "-o", str(out)],
        env=os.environ | call.environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    about = read_metadata(out)
    assert about.labels == ("collie", "tabby cat", "tea cup")
    assert about.provenance["began_with"] == f"hf:org/net@{COMMIT}"
    assert about.licence == "apache-2.0"


@pytest.mark.slow("training/weights")
def test_one_command_makes_a_network_of_timm_speak_as_people_do(call: Caller, tmp_path: Path) -> None:
    network = NETWORKS[0]
    folder = saved(network, tmp_path / "from", "folder")
    call.hub.repository = f"timm/{network.name}"
    call.hub.files = {path.name: path.read_bytes() for path in folder.iterdir()} | {"README.md": CARD}
    out = tmp_path / "tiny.safetensors"
    done = subprocess.run(
        [Path(sys.executable).with_name("vitcam-train"), "import", f"timm:{network.name}", "-o", str(out)],
        env=os.environ | call.environment | {"VITCAM_DATA": str(tmp_path / "none")}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    about = read_metadata(out)
    assert "tabby cat" in about.labels
    assert len(about.labels) < len(about.rows) == 1000
    assert about.labels.index("tabby cat") in about.groups["cat"]
    assert about.temperature == 0.92
    assert (about.input.crop_fraction, about.network["mean"]) == (0.9, [0.5, 0.5, 0.5])
    assert about.provenance["began_with"] == f"hf:timm/{network.name}@{COMMIT}"
    assert "ImageNet-1k" in done.stderr


def test_only_what_is_needed_is_downloaded_and_only_once(call: Caller) -> None:
    got = call()
    served = call.hub.served

    needed = sorted(set(FILES) & set(call.hub.files))
    assert sorted(path.name for path in Path(got["folder"]).iterdir()) == needed
    assert got["commit"] == COMMIT
    assert served == sum(len(call.hub.files[name]) for name in needed)
    assert call(revision="main") == got
    assert call.hub.served == served


def test_a_download_that_was_cut_off_continues_where_it_was(call: Caller) -> None:
    call.hub.files["model.safetensors"] += bytes(3 * CHUNK)
    call.hub.cut_at = 2 * CHUNK + 1000
    got = call()

    assert call.hub.ranges == [f"bytes={2 * CHUNK}-"]
    assert Path(got["folder"], "model.safetensors").read_bytes() == call.hub.files["model.safetensors"]


def test_a_file_that_is_not_what_the_hub_says_is_removed_and_named(call: Caller) -> None:
    call.hub.is_damaged = True
    refused = call()
    call.hub.is_damaged = False

    assert refused["error"].startswith("model.safetensors was damaged on its way: its SHA-256 is ")
    assert Path(call()["folder"], "model.safetensors").is_file()


def test_a_gated_network_says_where_its_terms_are_and_takes_a_token(call: Caller) -> None:
    call.hub.is_gated = True
    refused = call()

    assert refused["exit_code"] == 2
    assert refused["error"].startswith("hf:org/net is gated: accept its terms at https://")
    assert "org/net, then set HF_TOKEN" in refused["error"]
    assert call(HF_TOKEN=TOKEN)["commit"] == COMMIT


def test_without_a_network_what_was_downloaded_before_serves(call: Caller) -> None:
    got = call()
    served = call.hub.served

    for offline in ({"HF_ENDPOINT": "http://127.0.0.1:9"}, {"HF_HUB_OFFLINE": "1"}):
        assert call(**offline) == got
        refused = call("org/other", **offline)
        assert refused["error"].startswith("hf:org/other cannot be downloaded (")
        assert "by hand into a folder and give that folder" in refused["error"]
        assert "tokenizer.json" in refused["error"], "labels that are words need it"
    assert call.hub.served == served


def test_what_the_hub_has_not_is_refused_in_one_sentence(call: Caller) -> None:
    assert call("org/none")["error"].startswith("the hub has no hf:org/none, or it is private")
    assert call(revision="v9")["error"].startswith("org/net has no revision 'v9'; https://")


def test_a_network_that_is_only_a_pickle_is_refused_and_not_downloaded(call: Caller) -> None:
    del call.hub.files["model.safetensors"]

    assert "has no model.safetensors; vitcam reads no pickles" in call()["error"]
    assert call.hub.served < 5000


def test_weights_in_shards_are_downloaded_by_their_index(call: Caller, tmp_path: Path) -> None:
    folder = sharded(tmp_path / "net")
    del call.hub.files["model.safetensors"]
    call.hub.files |= {path.name: path.read_bytes() for path in folder.glob("model*")}
    got = call()

    assert got["commit"] == COMMIT
    assert read_tensors(Path(got["folder"])).keys() == read_tensors(folder).keys()
    assert "pytorch_model.bin" not in {path.name for path in Path(got["folder"]).iterdir()}
    assert call(HF_HUB_OFFLINE="1") == got


def test_a_shard_that_the_hub_lacks_and_one_outside_are_named(call: Caller, tmp_path: Path) -> None:
    folder = sharded(tmp_path / "net")
    del call.hub.files["model.safetensors"]
    call.hub.files |= {path.name: path.read_bytes() for path in folder.glob("model*") if "00002" not in path.name}

    assert "lacks model-00002-of-00003.safetensors, which" in call()["error"]

    index = "model.safetensors.index.json"
    call.hub.files[index] = json.dumps({"weight_map": {"vit.layernorm.bias": "../../net.safetensors"}}).encode()
    assert "lies in '../../net.safetensors'; allowed" in call(HF_HOME=str(tmp_path / "other"))["error"]


def test_a_cache_that_cannot_be_written_is_named(call: Caller) -> None:
    refused = call(HF_HOME="/proc/nowhere")

    assert refused["error"].startswith("hf:org/net cannot be kept on this disk (")
    assert refused["error"].endswith("HF_HOME names another folder")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("hf:google/vit-base-patch16-224", HubAddress("google/vit-base-patch16-224")),
        ("hf:google/vit@v1.0", HubAddress("google/vit", "v1.0")),
        ("timm:vit_tiny_patch16_224.augreg_in21k", HubAddress("timm/vit_tiny_patch16_224.augreg_in21k")),
        ("vit.npz", None),
        ("C:/vit.npz", None),
    ],
)
def test_an_address_names_a_repository_and_a_revision(text: str, address: HubAddress | None) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["hf:", "hf:vit", "hf:a/b/c", "timm:", "hf:../../etc/passwd", "timm:a/b"])
def test_an_address_without_a_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=naming("hf:ORG/NAME", "hf:ORG/NAME@REVISION", "timm:NAME")):
        parse_address(text)
