"""What a file is, by its first bytes."""

import io
import tarfile
import zipfile

import numpy as np
import pytest

from vitcam.errors import UsageError
from vitcam.pictures.file_kind import Use, kind_of
from vitcam.pictures.header import read_header


def ftyp(*brands: str) -> bytes:
    """The first box of an ISO base media file."""
    names = "".join((brands[0], "\0\0\0\0", *brands[1:])).encode()
    return (8 + len(names)).to_bytes(4, "big") + b"ftyp" + names + b"\0\0\1\x57meta" + bytes(40)


def zipped() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("photo.jpg", b"\xff\xd8\xff")
    return data.getvalue()


def tarred() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("photo.jpg"))
    return data.getvalue()


TIFF = b"II*\0\x08\0\0\0"
FOREIGN = {
    "HEIC": ftyp("heic", "mif1", "heic"),
    "a HEIC picture": ftyp("mif1", "mif1", "heic"),
    "AVIF": ftyp("avif", "avif", "mif1"),
    "an AVIF picture": ftyp("mif1", "avif"),
    "HEIF": ftyp("mif1"),
    "CR3": ftyp("crx ", "isom"),
    "GIMP": b"gimp xcf v011\0" + bytes(50),
    "TIFF": TIFF + b"\x01\0\0\x01\x03\0\x01\0\0\0\x10\0\0\0" + bytes(50),
    "a TIFF": b"MM\0*\0\0\0\x08" + bytes(50),
    "DNG": TIFF + b"\x01\0\x12\xc6\x01\0\x04\0\0\0\x01\x04\0\0" + bytes(50),
    "CR2": b"II*\0\x10\0\0\0CR\x02\0" + bytes(50),
    "SVG": b"<?xml version='1.0'?>\n<!-- a drawing -->\n<svg xmlns='http://www.w3.org/2000/svg'/>",
    "an SVG": b'<svg width="10"></svg>',
    "JPEG XL": b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(50),
    "JPEG 2000": b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(50),
    "Netpbm": b"P6\n4 4\n255\n" + bytes(48),
    "Photoshop": b"8BPS\0\1" + bytes(50),
}
OTHERS = {
    "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(50),
    "ZIP": zipped(),
    "tar": tarred(),
    "gzip": b"\x1f\x8b\x08\0" + bytes(50),
    "a text": "Grüße, das ist ein Text. ".encode() * 60,
    "text": "hello".encode("utf-16"),
    "web page": b"<!DOCTYPE html>\n<html><body>404</body></html>",
    "Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "model": b"\x1c\0\0\0TFL3" + bytes(50),
    "WAV": b"RIFF\x24\0\0\0WAVEfmt " + bytes(50),
    "sound (MP3)": b"\xff\xfb\x90\x64" + bytes(50),
    "sound (M4A)": ftyp("M4A ", "mp42", "isom"),
    "zeros": bytes(2000),
    "empty": b"",
}
FILMS = {
    "GIF": b"GIF89a\x40\x01\xf0\0" + bytes(50),
    "MP4": ftyp("isom", "isom", "iso2", "avc1", "mp41"),
    "QuickTime": ftyp("qt  "),
    "an MP4": b"\0\0\0\x08wide\0\0\1\0mdat" + bytes(50),
    "Matroska": b"\x1aE\xdf\xa3" + bytes(50),
    "AVI": b"RIFF\x24\0\0\0AVI LIST" + bytes(50),
    "transport stream": (b"G" + bytes(187)) * 4,
    "an MPEG transport stream": (bytes(4) + b"G" + bytes(187)) * 4,
    "H.264": b"\0\0\0\1\x67\x64\0\x28" + b"\x55" * 50,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_pictures_that_cannot_be_read_are_named(name: str) -> None:
    kind = kind_of(FOREIGN[name])

    assert kind is not None
    assert kind.use is Use.FOREIGN
    assert name in kind.name
    with pytest.raises(UsageError, match="JPEG, PNG, WebP and BMP can be read") as refused:
        read_header(FOREIGN[name])
    assert kind.name in str(refused.value)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_neither_picture_nor_film_is_named(name: str) -> None:
    kind = kind_of(OTHERS[name][:1024])

    assert kind is not None
    assert kind.use is Use.OTHER
    assert name in kind.name


@pytest.mark.parametrize("name", FILMS)
def test_films_are_known_by_their_containers(name: str) -> None:
    kind = kind_of(FILMS[name])

    assert kind is not None
    assert kind.use is Use.FILM
    assert name in kind.name


def test_noise_is_of_no_kind_and_never_an_error() -> None:
    rng = np.random.default_rng(3)
    unknown = sum(kind_of(rng.bytes(int(size))) is None for size in rng.integers(1, 1024, 1000))

    assert unknown > 900


@pytest.mark.parametrize("name", [*FOREIGN, *OTHERS, *FILMS])
def test_a_beginning_that_is_cut_off_is_never_an_error(name: str) -> None:
    data = (FOREIGN | OTHERS | FILMS)[name]

    kinds = [kind_of(data[:length]) for length in range(min(len(data), 300))]

    assert len(kinds) == min(len(data), 300)
