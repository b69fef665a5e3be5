"""Tells by a file's first bytes what it is, whatever its name says: a picture, a film, or something else."""

import re
import struct
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

BEGINNING = 1024
"""How many bytes of a file's beginning `kind_of` looks at."""

_SVG = re.compile(rb"<svg[\s>]", re.IGNORECASE)
_HTML = re.compile(rb"<(!doctype )?html", re.IGNORECASE)
_MOST_CONTROL = 0.02  # share of control characters in a text
_CONTROL = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))
_TS_PACKETS = ((0, 188), (4, 192), (0, 204))  # where the first packet begins, and bytes of each: broadcast, disk, 204
_DNG_VERSION, _MOST_TAGS = 0xC612, 100


class Use(Enum):
    """What vitcam can do with a file."""

    PICTURE = "picture"
    """It is decoded as a picture."""
    FILM = "film"
    """FFmpeg is asked to read it: a video, or pictures that follow one another."""
    FOREIGN = "foreign"
    """A picture, of a kind that cannot be read."""
    OTHER = "other"
    """Neither a picture nor a film."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file is."""

    name: str
    """With its article, such as `a HEIC picture`: it follows "is"."""
    use: Use


def read_beginning(path: Path) -> bytes:
    """The first bytes of a file, for `kind_of`. Raises OSError."""
    with path.open("rb") as file:
        return file.read(BEGINNING)


def kind_of(beginning: bytes) -> FileKind | None:
    """What a file that begins with these bytes is; None: nobody knows.

    beginning  the first `BEGINNING` bytes; fewer are enough for most kinds
    """
    if not beginning:
        return FileKind("an empty file", Use.OTHER)
    return (
        _by_magic(beginning)
        or _by_container(beginning)
        or _by_structure(beginning)
        or _by_text(beginning)
        or (None if beginning.strip(b"\0") else FileKind("a file that begins with zeros only", Use.OTHER))
    )


JPEG = "a JPEG picture"
_PICTURES = {
    b"\xff\xd8\xff": JPEG,
    b"\x89PNG\r\n\x1a\n": "a PNG picture",
}
_FILMS = {
    b"GIF8": "a GIF picture",
    b"\x1aE\xdf\xa3": "a Matroska or WebM video",
    b"FLV\x01": "an FLV video",
    b"\0\0\1\xba": "an MPEG video",
    b"\0\0\1\xb3": "an MPEG video without a container",
    b"\0\0\0\1": "an H.264 or H.265 video without a container",
    b"\0\0\1": "an H.264, H.265 or MPEG video without a container",
    b"\x12\0\x0a": "an AV1 video without a container",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11": "a Windows Media file",
    b"OggS": "an Ogg file",
    b"DKIF": "an IVF video",
    b"YUV4MPEG2": "a Y4M video",
}
_FOREIGN = {
    b"8BPS": "a Photoshop picture",
    b"gimp xcf": "a GIMP picture",
    b"\0\0\0\x0cJXL ": "a JPEG XL picture",
    b"\xff\x0a": "a JPEG XL picture",
    b"\0\0\0\x0cjP  ": "a JPEG 2000 picture",
    b"\xff\x4f\xff\x51": "a JPEG 2000 picture",
    b"II\xbc": "a JPEG XR picture",
    b"BPG\xfb": "a BPG picture",
    b"qoif": "a QOI picture",
    b"v/1\x01": "an OpenEXR picture",
    b"#?RADIANCE": "a Radiance HDR picture",
    b"#?RGBE": "a Radiance HDR picture",
    b"SIMPLE  =": "a FITS picture",
    b"DDS ": "a DDS picture",
    b"icns": "an icon of macOS",
    b"\0\0\1\0": "an icon of Windows",
    b"\0\0\2\0": "a TGA picture, or a cursor of Windows",
    b"\xd7\xcd\xc6\x9a": "a WMF drawing",
    b"IIRO": "a camera's raw file (ORF)",
    b"IIRS": "a camera's raw file (ORF)",
    b"MMOR": "a camera's raw file (ORF)",
    b"IIU\0": "a camera's raw file (RW2)",
    b"FUJIFILMCCD-RAW": "a camera's raw file (RAF)",
    b"FOVb": "a camera's raw file (X3F)",
    b"\0MRM": "a camera's raw file (MRW)",
}
_OTHERS = {
    b"%PDF": "a PDF document",
    b"\xef\xbb\xbf%PDF": "a PDF document",
    b"%!PS": "a PostScript document",
    b"\xc5\xd0\xd3\xc6": "an EPS document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"{\\rtf": "an RTF document",
    b"AT&TFORM": "a DjVu document",
    b"PK\x03\x04": "a ZIP archive, or an office document",
    b"PK\x05\x06": "an empty ZIP archive",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\0": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a Zstandard archive",
    b"!<arch>": "an archive (ar, deb)",
    b"ID3": "a sound (MP3)",
    b"\xff\xf1": "a sound (AAC)",
    b"\xff\xf9": "a sound (AAC)",
    b"fLaC": "a sound (FLAC)",
    b"MThd": "a MIDI file",
    b"SQLite format 3\0": "an SQLite database",
    b"\x93NUMPY": "a NumPy file",
    b"\x89HDF": "an HDF5 file",
    b"\x7fELF": "a program",
    b"MZ": "a program of Windows",
    b"wOFF": "a font",
    b"wOF2": "a font",
    b"\0\x01\0\0\0": "a font",
    b"OTTO": "a font",
    b"bplist00": "a property list of macOS",
    b"\0\x05\x16\x07": "a file of macOS beside another one (AppleDouble)",
    b"version https://git-lfs": "a pointer of Git LFS, not the file itself; `git lfs pull` fetches it",
}


def _by_magic(data: bytes) -> FileKind | None:
    if data.startswith(b"BM") and data[14:15] in (b"\x0c", b"\x28", b"\x34", b"\x38", b"\x40", b"\x6c", b"\x7c"):
        return FileKind("a BMP picture", Use.PICTURE)
    tables = (
        (_PICTURES, Use.PICTURE),
        (_FOREIGN, Use.FOREIGN),
        (_OTHERS, Use.OTHER),
        (_FILMS, Use.FILM),
    )
    return next(
        (FileKind(name, use) for table, use in tables for magic, name in table.items() if data.startswith(magic)), None
    )


_STILLS = {
    "avif": "an AVIF picture",
    "avis": "a sequence of AVIF pictures",
    "crx ": "a camera's raw file (CR3)",
    "jxl ": "a JPEG XL picture",
} | dict.fromkeys(("heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"), "a HEIC picture")
_HEIF = {"mif1": "a HEIF picture", "msf1": "a sequence of HEIF pictures", "mif2": "a HEIF picture"}
_SOUNDS = ("M4A ", "M4B ", "M4P ")
_RIFF = {b"AVI ": "an AVI video", b"WAVE": "a sound (WAV)", b"ACON": "a cursor of Windows", b"RMID": "a MIDI file"}
MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", b"styp", b"moof", b"sidx")
"""What an MP4 or QuickTime file may begin with, at its fifth byte."""
_MP4 = FileKind("an MP4 or QuickTime video", Use.FILM)


def _by_container(data: bytes) -> FileKind | None:
    """Kinds that share a container: RIFF, ISO base media."""
    if data.startswith(b"RIFF") and len(data) >= 12:
        if data[8:12] == b"WEBP":
            return FileKind("a WebP picture", Use.PICTURE)
        return FileKind(_RIFF.get(data[8:12], "a RIFF file"), Use.FILM if data[8:12] == b"AVI " else Use.OTHER)
    if data[4:8] == b"ftyp":
        return _by_brand(data)
    return _MP4 if data[4:8] in MP4_BOXES else None


def _by_brand(data: bytes) -> FileKind:
    """A still picture and a film have the same container; the brands tell them apart, the major one first."""
    length = min(max(int.from_bytes(data[:4], "big"), 16), len(data))
    brands = [data[at : at + 4].decode("latin-1") for at in (8, *range(16, length, 4))]
    first = brands[0]
    if first in _SOUNDS:
        return FileKind("a sound (M4A)", Use.OTHER)
    if first in _HEIF:  # it only says that it is one: the others say how it was coded
        name = next((_STILLS[brand] for brand in brands if brand in _STILLS), _HEIF[first])
        return FileKind(name, Use.FOREIGN)
    if first in _STILLS:
        return FileKind(_STILLS[first], Use.FOREIGN)
    return _MP4


def _by_structure(data: bytes) -> FileKind | None:
    """Kinds without bytes of their own at the beginning, or with ones that need a second look."""
    if data[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return FileKind(_tiff(data), Use.FOREIGN)
    if re.match(rb"P[1-7][\s#]", data):
        return FileKind("a Netpbm picture", Use.FOREIGN)
    if data[257:262] == b"ustar":
        return FileKind("a tar archive", Use.OTHER)
    if data[4:8] == b"TFL3":
        return FileKind("a model file", Use.OTHER)
    if b"%PDF-" in data:
        return FileKind("a PDF document", Use.OTHER)
    if any(_has_packets(data, start, size) for start, size in _TS_PACKETS):
        return FileKind("an MPEG transport stream", Use.FILM)
    if re.match(rb"\xff[\xe2-\xe7\xf2-\xf7\xfa-\xfd]", data):  # fe: a mark of UTF-16
        return FileKind("a sound (MP3)", Use.OTHER)
    return None


def _has_packets(data: bytes, start: int, size: int) -> bool:
    """Whether transport stream packets of `size` bytes, each with its sync byte, follow one another."""
    beginnings = data[start::size]
    return len(beginnings) >= 2 and set(beginnings) == {0x47}


def _tiff(data: bytes) -> str:
    """Most cameras' raw files are TIFF; two can be told from a picture."""
    if data[8:10] == b"CR":
        return "a camera's raw file (CR2)"
    order = "<" if data.startswith(b"II") else ">"
    try:
        at = struct.unpack_from(order + "I", data, 4)[0]
        count = struct.unpack_from(order + "H", data, at)[0]
        for entry in range(at + 2, at + 2 + 12 * min(count, _MOST_TAGS), 12):
            if struct.unpack_from(order + "H", data, entry)[0] == _DNG_VERSION:
                return "a camera's raw file (DNG)"
    except struct.error:
        pass
    return "a TIFF picture, or a camera's raw file"


def _by_text(data: bytes) -> FileKind | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return FileKind("a text", Use.OTHER)
    text = data.removeprefix(b"\xef\xbb\xbf")
    control = len(text) - len(text.translate(None, _CONTROL))
    if control > _MOST_CONTROL * len(text) or not _is_utf8(text):
        return None
    if _SVG.search(text):
        return FileKind("an SVG drawing", Use.FOREIGN)
    if _HTML.search(text):
        return FileKind("a web page", Use.OTHER)
    return FileKind("an XML document" if text.lstrip().startswith(b"<?xml") else "a text", Use.OTHER)


def _is_utf8(text: bytes) -> bool:
    """Also where the last letter is cut off."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and error.end >= len(text)
    return True
