"""Files that PyTorch wrote are read without it; whatever else they hold is refused, and nothing in them runs."""

import pickle
import shutil
import zipfile
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.weights.torch_files.write import expected, write
from vitcam.errors import UsageError
from vitcam_training.weights.checkpoints import read_weights
from vitcam_training.weights.torch_file import read_torch

pytestmark = pytest.mark.slow("training/weights/torch_file.py")

KEPT = Path(__file__).parent / "torch_files"
FILES = ("new.pth", "old.pth", "training-*.pth")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what PyTorch writes: by the PyTorch that is here, or else by the one that wrote what is kept."""
    folder = tmp_path_factory.mktemp("torch")
    if find_spec("torch"):
        write(folder)
    else:
        for path in KEPT.glob("*.pth"):
            shutil.copy(path, folder)
    return folder


@pytest.mark.parametrize("pattern", FILES)
def test_every_tensor_of_a_file_of_pytorch_is_read(written: Path, pattern: str) -> None:
    (path,) = written.glob(pattern)
    found, wanted = read_weights(path), expected()

    assert set(found) == set(wanted)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == np.float32
        assert found[name].shape == np.shape(array)


def test_a_file_that_is_not_what_its_name_says_is_refused(written: Path, tmp_path: Path) -> None:
    (path,) = written.glob("training-*.pth")
    other = Path(shutil.copy(path, tmp_path / "net-0badc0de.pth"))
    (tmp_path / path.name).write_bytes(path.read_bytes() + b"\0")

    with pytest.raises(UsageError, match=naming("0badc0de", "damaged", "download it again")):
        read_weights(other)
    with pytest.raises(UsageError, match="SHA-256"):
        read_weights(tmp_path / path.name)
    assert read_weights(Path(shutil.copy(path, tmp_path / "mine.pth")))


def test_a_file_that_would_run_something_is_refused_by_name_and_runs_nothing(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"holds '(posix|os)\.mkdir', which is neither a tensor nor a dictionary"):
        read_weights(written / "evil.pth")

    assert not list(tmp_path.iterdir())


def saved(folder: Path, told: bytes, key: str = "0", data: bytes = bytes(48), **options: Any) -> Path:
    """A file of the newer format with this pickle."""
    path = folder / "made.pth"
    with zipfile.ZipFile(path, "w", **options) as archive:
        archive.writestr("made/data.pkl", told)
        archive.writestr(f"made/data/{key}", data)
    return path


def tensor(numbers: int = 12, offset: int = 0, size: object = (12,), stride: object = (1,), key: str = "0") -> bytes:
    """The pickle of `{"w": tensor}`, as torch.save writes it, with any figures."""
    return b"".join(
        [
            b"\x80\x02}",
            pickle.dumps("w", 2)[2:-1],
            b"ctorch._utils\n_rebuild_tensor_v2\n((",
            pickle.dumps("storage", 2)[2:-1],
            b"ctorch\nFloatStorage\n",
            *(pickle.dumps(each, 2)[2:-1] for each in (key, "cpu", numbers)),
            b"tQ",
            *(pickle.dumps(each, 2)[2:-1] for each in (offset, size, stride, False)),
            b"ccollections\nOrderedDict\n)RtRs.",
        ]
    )


def test_the_file_made_by_hand_is_read_where_it_is_honest(tmp_path: Path) -> None:
    data = np.arange(12, dtype="<f4").tobytes()

    np.testing.assert_array_equal(read_torch(saved(tmp_path, tensor(), data=data))["w"], np.arange(12))
    np.testing.assert_array_equal(
        read_torch(saved(tmp_path, tensor(offset=1, size=(2, 3), stride=(6, 2)), data=data))["w"],
        [[1, 3, 5], [7, 9, 11]],
    )


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"size": (13,)}, "a tensor of 13, which is more than the 12 numbers"),
        ({"offset": 1}, "more than the 12 numbers"),
        ({"offset": -1}, "described in an unknown way"),
        ({"size": (-12,)}, "described in an unknown way"),
        ({"stride": (-1,)}, "described in an unknown way"),
        ({"stride": (2,)}, "more than the 12 numbers"),
        ({"size": (12, 1)}, "described in an unknown way"),
        ({"size": (10**12,), "stride": (0,)}, "a tensor of 1000000000000, which is more"),
        ({"size": (2**64, 2**64), "stride": (2**64, 1)}, "more than the 12 numbers"),
        ({"size": (1,) * 17, "stride": (1,) * 17}, "described in an unknown way"),
        ({"size": ("12",)}, "described in an unknown way"),
        ({"numbers": 10**12}, "storages that are larger than the file"),
        ({"numbers": 11, "size": (11,)}, "48 bytes for the 11 numbers"),
        ({"key": "../../../etc/passwd"}, "no data for the storage"),
        ({"key": 7}, "a storage that is described in an unknown way"),
    ],
)
def test_a_tensor_that_does_not_lie_in_its_storage_is_refused(
    tmp_path: Path, figures: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        read_torch(saved(tmp_path, tensor(**figures)))


class Runs:
    """Pickles to a call that makes a file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.place), "w")


def nested(place: Path, protocol: int) -> bytes:
    return pickle.dumps(OrderedDict(model={"w": [({"deep": Runs(place)},)]}), protocol)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_no_protocol_of_pickle_hides_a_call(tmp_path: Path, protocol: int) -> None:
    with pytest.raises(UsageError, match="holds"):
        read_torch(saved(tmp_path, nested(tmp_path / "written", protocol)))

    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (b"\x80\x02cbuiltins\neval\n.", "'builtins.eval', which is neither"),
        (b"\x80\x02ccollections\nOrderedDict.__init__\n.", "'collections.OrderedDict.__init__'"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "'os.system'"),
        (b"\x80\x02cos\nsystem\n\x8c\x02id\x85R.", "'os.system'"),
        (b"(S'id'\nios\nsystem\n.", "the pickle instruction STRING"),
        (b"\x80\x02(ios\nsystem\n.", "the pickle instruction INST"),
        (b"\x80\x02(o.", "the pickle instruction OBJ"),
        (b"\x80\x02))\x81.", "the pickle instruction NEWOBJ"),
        (b"\x80\x02\x82\x01.", "the pickle instruction EXT1"),
        (b"\x80\x02ccollections\nOrderedDict\n}b.", "fills a Name as if it were a dict"),
        (b"\x80\x02ctorch\nFloatStorage\n)R.", "a call of something that is not allowed"),
        (b"\x80\x02}]X\x01\x00\x00\x00as.", "damaged"),
        (b"\x80\x02K\x01K\x02\x86R.", "damaged"),
        (b"\x80\x02}", "damaged"),
        (b"\x80\x02\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.", "damaged"),
        (b"\x80\x02h\x05.", "damaged"),
        (b"\x80\x02t.", "damaged"),
        (b"", "damaged"),
        (b"\x80\x02U\x01a\x88Q.", "a storage that is described in an unknown way"),
    ],
)
def test_what_is_no_data_is_refused_in_one_sentence(tmp_path: Path, told: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        read_torch(saved(tmp_path, told))

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("told", [b"\x80\x02}.", b"\x80\x02K\x01.", pickle.dumps({"model": {"epoch": 3}}, 2)])
def test_a_file_without_tensors_says_where_they_were_looked_for(tmp_path: Path, told: bytes) -> None:
    with pytest.raises(UsageError, match=naming("no named tensors", "model, state_dict")):
        read_torch(saved(tmp_path, told))


def test_a_compressed_file_is_no_bomb(tmp_path: Path) -> None:
    path = saved(tmp_path, tensor(10**8), data=bytes(4 * 10**8), compression=zipfile.ZIP_DEFLATED)

    assert path.stat().st_size < 10**6
    with pytest.raises(UsageError, match=r"compressed parts, which torch\.save does not write"):
        read_torch(path)


def test_a_file_that_is_none_of_pytorch_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.pth"
    for content in (b"", b"<html>not found</html>", bytes(1000), pickle.dumps([1, 2]), b"\x80\x02."):
        path.write_bytes(content)

        with pytest.raises(UsageError, match=r"notes\.pth holds"):
            read_torch(path)


@pytest.mark.parametrize("name", ["new.pth", "old.pth"])
def test_a_damaged_file_is_refused_or_read_and_never_crashes(tmp_path: Path, name: str) -> None:
    whole, rng = (KEPT / name).read_bytes(), np.random.default_rng(0)
    path, refused = tmp_path / name, 0
    for _ in range(1500):
        content = bytearray(whole)
        for place in rng.integers(0, len(whole), rng.integers(1, 4)):
            content[place] = rng.integers(0, 256)
        path.write_bytes(bytes(content[: rng.integers(1, len(whole))] if rng.random() < 0.1 else content))
        try:
            read_torch(path)
        except UsageError:
            refused += 1

    assert refused > 300
