"""Files are read whole, but only plain ones, and no more of them than their place may hold."""

import os
import socket
import threading
from pathlib import Path

import pytest

from vitcam.storage import reading
from vitcam.storage.reading import UnfitFileError, read_file, read_given, text_of


def test_a_plain_file_is_read_up_to_its_limit_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1000)
    (tmp_path / "link").symlink_to("file")

    assert read_file(tmp_path / "link", 1000) == b"x" * 1000
    with pytest.raises(UnfitFileError, match="it is larger than 999 bytes, the most that is read"):
        read_file(tmp_path / "file", 999)


def test_a_file_of_400_gb_is_refused_before_a_byte_of_it_is_in_memory(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(400 * 2**30)

    with pytest.raises(UnfitFileError, match="larger than 8 MiB"):
        read_file(tmp_path / "huge", 8 * 2**20)


def test_what_is_no_plain_file_is_named_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path, kind in (
            (tmp_path / "pipe", "a pipe"),
            (tmp_path / "socket", "a socket"),
            (Path("/dev/zero"), "a device"),
        ):
            with pytest.raises(UnfitFileError, match=f"it is {kind}, and only a plain file is read"):
                read_file(path, 10)
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "absent", 10)


def test_a_pipe_that_a_person_hands_over_is_read_and_a_silent_one_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"one\n" * 50_000,))
    writer.start()
    assert read_given(tmp_path / "pipe", 200_000) == b"one\n" * 50_000
    writer.join()

    monkeypatch.setattr(reading, "_SILENT_S", 0.05)
    with pytest.raises(TimeoutError, match="it is a pipe, and nobody writes into it"):
        read_given(tmp_path / "pipe", 10)


def test_text_is_utf_8_with_or_without_a_mark_and_any_other_encoding_is_named() -> None:
    assert text_of("\ufeffKatze\r\n".encode()) == "Katze\r\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        with pytest.raises(ValueError, match="it is in UTF-16; save it as UTF-8"):
            text_of("Müsli\n".encode(encoding))
    with pytest.raises(ValueError, match="line 2 is not in UTF-8; save it as UTF-8"):
        text_of("eins\nMüsli\n".encode("latin-1"))
