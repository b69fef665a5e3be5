"""A zip of photos: a folder a label, and nothing in it is believed."""

import io
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vitcam.errors import UsageError
from vitcam.parts.teach.datasets.photo_zip import MOST_BYTES, PhotoZip
from vitcam.parts.teach.datasets.teachable import MOST_PHOTOS


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return file


def test_the_folder_is_the_label_and_what_systems_add_is_left_out() -> None:
    found = PhotoZip(
        zipped(
            {
                "photos/red rose/1.jpg": b"a",
                "photos/Tür/2.jpg": b"b",
                "3.jpg": b"c",
                "photos/red rose/.hidden.jpg": b"",
                "__MACOSX/photos/red rose/._1.jpg": b"",
                "photos/red rose/Thumbs.db": b"",
                "photos/red rose/.git/x.jpg": b"",
                "photos/empty/": b"",
                "photos\\dog\\4.jpg": b"d",
            }
        )
    )

    assert [(each.label, each.name, found.read(each)) for each in found.photos] == [
        ("red rose", "1.jpg", b"a"),
        ("Tür", "2.jpg", b"b"),
        ("", "3.jpg", b"c"),
        ("dog", "4.jpg", b"d"),
    ]


def test_a_name_in_utf_8_that_does_not_say_so_is_read_as_it_was_meant() -> None:
    file = zipped({"XXXX/1.jpg": b"a"})
    found = PhotoZip(io.BytesIO(file.getvalue().replace(b"XXXX", "Tür".encode())))

    assert found.photos[0].label == "Tür"


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp866", "собака"),
        ("cp866", "рак"),
        ("shift_jis", "猫"),
        ("shift_jis", "ソファ"),
        ("cp850", "Käfer"),
        ("gbk", "猫"),
    ],
)
@pytest.mark.parametrize("system", [0, 3], ids=["Windows", "Unix"])
def test_a_name_in_a_code_page_that_the_zip_does_not_name_is_refused_and_never_garbled(
    encoding: str, name: str, system: int
) -> None:
    raw = name.encode(encoding)
    others = {} if system == 0 else {"YYYY/2.jpg": b"b"}
    data = zipped({"X" * len(raw) + "/1.jpg": b"a", **others}).getvalue()
    data = data.replace(b"X" * len(raw), raw).replace(b"YYYY", "кот ".encode("cp866"))
    data = data.replace(b"PK\1\2\x14\x03", b"PK\1\2\x14" + bytes([system]))
    found = PhotoZip(io.BytesIO(data))

    for photo in found.photos:
        assert photo.label == ""
        assert "how the name of its folder" in photo.why
        assert photo.path.isascii()
        assert photo.path.isprintable()


def test_names_that_lead_out_of_a_folder_lead_nowhere() -> None:
    found = PhotoZip(
        zipped({"../../../etc/passwd.jpg": b"a", "/root/x.jpg": b"b", "..\\..\\c.jpg": b"c", "a/../d.jpg": b"d"})
    )

    assert [(each.label, each.name) for each in found.photos] == [
        ("", "passwd.jpg"), ("root", "x.jpg"), ("", "c.jpg"), ("", "d.jpg"),
    ]  # fmt: skip
    assert all(each.label or "leads out of its folder" in each.why for each in found.photos)


def link(target: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        info = zipfile.ZipInfo("cup/1.jpg")
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        made.writestr(info, target)
    return file


def changed(file: io.BytesIO, at: int, value: bytes) -> io.BytesIO:
    """With other bytes in the entry of the only file, `at` bytes after its beginning in the list of contents."""
    data = bytearray(file.getvalue())
    start = data.rindex(b"PK\1\2") + at
    data[start : start + len(value)] = value
    return io.BytesIO(bytes(data))


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (lambda: link(b"/etc/passwd"), "link"),
        (lambda: changed(zipped({"cup/1.jpg": b"a" * 99}), 8, b"\x01"), "password"),
        (lambda: zipped({"cup/1.jpg": b"a" * 99}, zipfile.ZIP_BZIP2), "deflate"),
        (lambda: zipped({"cup/1.jpg": b"a" * 99}, zipfile.ZIP_LZMA), "deflate"),
        (lambda: zipped({"cup/1.jpg": bytes(MOST_BYTES + 1)}), "larger"),
        (lambda: changed(zipped({"cup/1.jpg": bytes(MOST_BYTES + 1)}), 24, struct.pack("<I", 1000)), "damaged"),
        (lambda: changed(zipped({"cup/1.jpg": b"a" * 99}), 16, b"\0\0\0\0"), "damaged"),
        (lambda: changed(zipped({"cup/1.jpg": b"a" * 99}), 42, struct.pack("<I", 40)), "damaged"),
    ],
    ids=["link", "locked", "bzip2", "lzma", "large", "says that it is small", "checksum", "place"],
)
def test_a_file_that_is_not_read_is_refused_by_itself(made: Callable[[], io.BytesIO], named: str) -> None:
    found = PhotoZip(made())

    with pytest.raises(UsageError, match=named):
        found.read(found.photos[0])


def crowded() -> io.BytesIO:
    """So many names that their list alone would take much memory."""
    return zipped({f"cup/{number:0200}.jpg": b"" for number in range(MOST_PHOTOS)})


@pytest.mark.parametrize(
    "made",
    [
        io.BytesIO,
        lambda: io.BytesIO(b"PK\3\4" + bytes(1000)),
        lambda: io.BytesIO(zipped({"a/1.jpg": b"x" * 1000}).getvalue()[:-30]),
        lambda: zipped({}),
        lambda: zipped({"folder/": b""}),
        lambda: zipped({str(number): b"" for number in range(MOST_PHOTOS + 1)}),
        crowded,
        lambda: io.BytesIO(bytes(range(256)) * 40),
    ],
    ids=["empty", "cut", "end", "nothing", "folders", "many", "list", "other"],
)
def test_a_zip_that_cannot_be_read_or_holds_too_much_is_refused(made: Callable[[], io.BytesIO]) -> None:
    file = made()
    with pytest.raises(UsageError):
        PhotoZip(file)


def test_a_zip_that_unpacks_to_much_is_refused_from_its_list_of_contents() -> None:
    overlapping = zipped({"a/1.jpg": bytes(MOST_BYTES)}).getvalue()
    start, end = overlapping.rindex(b"PK\1\2"), overlapping.rindex(b"PK\5\6")
    entry, count = overlapping[start:end], 300  # each names the same bytes
    tail = bytearray(overlapping[end:])
    tail[8:12] = struct.pack("<HH", count, count)
    tail[12:16] = struct.pack("<I", count * len(entry))

    with pytest.raises(UsageError, match="GiB"):
        PhotoZip(io.BytesIO(overlapping[:start] + entry * count + bytes(tail)))


def test_a_photo_takes_no_more_memory_than_it_may_have(tmp_path: Path) -> None:
    (tmp_path / "bomb.zip").write_bytes(zipped({"cup/1.jpg": bytes(MOST_BYTES)}).getvalue())
    with (tmp_path / "bomb.zip").open("rb") as file:
        found = PhotoZip(file)
        tracemalloc.start()
        found.read(found.photos[0])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert peak < 3 * MOST_BYTES
