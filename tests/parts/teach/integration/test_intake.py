"""Photos are added to a data set over HTTP: one by one, and in a zip, whoever made it."""

import io
import json
import os
import socket
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import answer_to, get_json
from tests.eventually import eventually
from tests.exif import photo, scene
from tests.hostile import progressive_cmyk_jpeg
from tests.integration.web.camera import Camera, Photos
from vitcam.errors import VitcamError
from vitcam.parts.teach.datasets.collector import Collector
from vitcam.parts.teach.datasets.recordings import recording_of
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.routes import intake
from vitcam.pictures.decode import decode
from vitcam.run.objects import Objects
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

TAKEN = "2026:01:02 03:04:05"


@pytest.fixture
def data_sets(tmp_path: Path) -> DataSets:
    return DataSets(tmp_path, 20.0)


@pytest.fixture
def url(data_sets: DataSets) -> Iterator[str]:
    photos = Photos(decode=decode)
    with Camera() as camera:
        server = WebServer(camera.parts(photos=photos, objects=Objects(Collector(data_sets))), Binding())
        server.start()
        yield f"{server.url}/api/datasets"
        server.stop(2)


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, data in files.items():
            made.writestr(name, data)
    return file.getvalue()


def sent(url: str, body: bytes) -> list[dict[str, Any]]:
    """The records of the answer to a zip."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/zip"}, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    return [json.loads(block.partition("\ndata: ")[2]) for block in text.strip().split("\n\n")]


def counts(url: str) -> dict[str, int]:
    found = get_json(url)["datasets"]
    return dict(found[0]["labels"]) if found else {}


def test_photos_are_added_one_by_one_and_those_of_one_time_are_one_recording(url: str) -> None:
    first = answer_to(f"{url}/mine/cup", photo(scene(1), taken=TAKEN))
    second = answer_to(f"{url}/mine/cup?called=IMG_1.jpg", photo(scene(2), taken=TAKEN))
    camera = [answer_to(f"{url}/mine/cup?taken=1900000{seconds}", photo(scene(seconds))) for seconds in (100, 130, 999)]
    again = answer_to(f"{url}/mine/mug", photo(scene(1), taken=TAKEN))
    kept = get_json(f"{url}/mine/cup")["pictures"]

    assert [status for status, _ in (first, second, *camera, again)] == [200] * 6
    assert again[1]["picture"] == ""
    assert "'cup'" in again[1]["note"]
    assert counts(url) == {"cup": 5}
    assert recording_of(first[1]["picture"]) == recording_of(second[1]["picture"])
    assert len({recording_of(each) for each in kept}) == 3


@pytest.mark.parametrize(
    ("target", "body", "status", "named"),
    [
        ("mine/cup", b"", 400, "no photo"),
        ("mine/cup", b"hello", 400, "text"),
        ("mine/cup", zipped({"cup/1.jpg": b"x"}), 400, "ZIP"),
        ("mine/cup", progressive_cmyk_jpeg(12_000, 8_000), 400, "megapixels"),
        ("mine/..%2f..", photo(scene(1)), 400, "label"),
        ("..%2fmodels/cup", photo(scene(1)), 400, "data set"),
        ("mine/cup?taken=yesterday", photo(scene(1)), 400, "taken"),
        ("mine/cup?taken=nan", photo(scene(1)), 400, "taken"),
        ("mine/cup?taken=1e300", photo(scene(1)), 400, "taken"),
        ("mine", b"", 400, "zip"),
        ("mine", photo(scene(1)), 400, "zip"),
        ("mine?label=.x", zipped({"cup/1.jpg": photo(scene(1))}), 400, "label"),
        ("..%2fx", zipped({"cup/1.jpg": photo(scene(1))}), 400, "data set"),
    ],
)
def test_what_cannot_be_added_is_refused_in_a_sentence_and_nothing_is_kept(
    url: str, tmp_path: Path, target: str, body: bytes, status: int, named: str
) -> None:
    found = answer_to(f"{url}/{target}", body)

    assert (found[0], named in found[1]["error"]) == (status, True), found
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_zip_is_taken_picture_by_picture_and_each_that_is_left_out_says_why(url: str, tmp_path: Path) -> None:
    records = sent(
        f"{url}/mine",
        zipped(
            {
                "my photos/cup/1.jpg": photo(scene(1), taken=TAKEN),
                "my photos/cup/2.jpg": photo(scene(2), orientation=6),
                "my photos/mug/1.jpg": photo(scene(1), taken=TAKEN),
                "my photos/mug/3.jpg": photo(scene(3)),
                "my photos/mug/notes.txt": b"these are mugs",
                "my photos/mug/inner.zip": zipped({"x/1.jpg": photo(scene(4))}),
                "my photos/mug/cut.jpg": photo(scene(5))[:2000],
                "my photos/mug/huge.jpg": progressive_cmyk_jpeg(12_000, 8_000),
                "4.jpg": photo(scene(6)),
                f"my photos/{'x' * 99}/5.jpg": photo(scene(7)),
                "../../../../etc/6.jpg": photo(scene(8)),
            }
        ),
    )
    notes = {each["path"]: each["note"] for each in records if each["type"] == "photo" and not each["picture"]}

    assert [each["type"] for each in records] == ["photo"] * 11 + ["report"]
    assert [(each["done"], each["total"]) for each in records[:2]] == [(1, 11), (2, 11)]
    assert records[-1] == {"type": "report", "labels": {"cup": 2, "mug": 1}, "left_out": 8}
    assert counts(url) == {"cup": 2, "mug": 1}
    assert {path: bool(note) for path, note in notes.items()} == dict.fromkeys(notes, True)
    assert "'cup'" in notes["my photos/mug/1.jpg"]
    assert "ZIP" in notes["my photos/mug/inner.zip"]
    assert "megapixels" in notes["my photos/mug/huge.jpg"]
    assert "folder" in notes["4.jpg"]
    assert {path.name for path in tmp_path.iterdir()} == {"datasets"}


def test_all_photos_of_a_zip_can_get_one_label(url: str) -> None:
    records = sent(f"{url}/mine?label=my%20cup", zipped({"1.jpg": photo(scene(1)), "a/b/2.jpg": photo(scene(2))}))

    assert records[-1]["labels"] == {"my cup": 2}
    assert counts(url) == {"my cup": 2}


def test_a_zip_for_which_the_disk_has_no_room_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "_LEAST_FREE", 2**60)
    found = answer_to(f"{url}/mine", zipped({"cup/1.jpg": photo(scene(1))}))

    assert found[0] == 503
    assert "disk" in found[1]["error"]


def test_a_disk_that_fills_up_ends_a_zip_with_one_sentence(
    url: str, data_sets: DataSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []

    def add(*_: object) -> None:
        if kept:
            raise VitcamError("the folder cannot be written: No space left on device")
        kept.append(1)

    monkeypatch.setattr(data_sets, "add", add)
    records = sent(f"{url}/mine", zipped({f"cup/{seed}.jpg": photo(scene(seed)) for seed in range(4)}))

    assert [each["type"] for each in records] == ["photo", "error"]
    assert "No space left" in records[-1]["error"]


def test_photos_end_where_the_data_sets_have_all_of_their_space(url: str, data_sets: DataSets) -> None:
    data_sets.max_mb = 0.05
    one = answer_to(f"{url}/mine/cup", photo(scene(1)))
    data_sets.max_mb = 0.0
    another = answer_to(f"{url}/mine/cup", photo(scene(2)))
    many = answer_to(f"{url}/mine", zipped({"cup/3.jpg": photo(scene(3))}))

    assert one[0] == 200
    assert [(status, "max_mb" in record["error"]) for status, record in (another, many)] == [(400, True)] * 2


def test_one_zip_is_taken_at_a_time_and_one_whose_client_leaves_makes_room(url: str) -> None:
    host, port = url.removeprefix("http://").partition("/")[0].split(":")
    body = zipped({"cup/1.jpg": photo(scene(1))})
    with socket.create_connection((host, int(port)), timeout=10) as line:
        head = f"POST /api/datasets/mine HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {10**9}\r\n\r\n"
        line.sendall(head.encode() + body[:100])
        eventually(lambda: answer_to(f"{url}/mine", body)[0] == 503, 10)
    eventually(lambda: sent(f"{url}/mine", body)[-1]["type"] == "report" if free(url) else False, 10)

    assert counts(url) == {"cup": 1}


def free(url: str) -> bool:
    return answer_to(f"{url}/mine", b"")[0] == 400


def test_a_zip_that_is_too_large_is_refused_before_it_is_sent(url: str) -> None:
    request = urllib.request.Request(f"{url}/mine", b"x", {"Content-Length": str(2 * 2**30)}, method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)

    assert refused.value.code == 413
    refused.value.close()


def test_nothing_of_a_zip_stays_on_the_disk_and_it_is_not_kept_in_memory(url: str, tmp_path: Path) -> None:
    before = _resident_mb()
    records = sent(f"{url}/mine", zipped({f"cup/{number}.bin": os.urandom(2**23) for number in range(12)}))
    after = _resident_mb()

    assert records[-1]["left_out"] == 12
    assert after - before < 2 * 96 + 60  # the test itself has the zip twice
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_a_folder_that_is_dropped_on_the_page_has_the_labels_of_a_zip_of_it(url: str) -> None:
    paths = ["pets/cat/2024-05/1.jpg", "pets/dog/2.jpg", "pets/cat/kitchen/3.jpg", "4.jpg", "__MACOSX/pets/cat/._1.jpg"]
    status, answer = answer_to(url.replace("datasets", "photo-labels"), {"paths": paths})
    wrong: list[object] = [{}, {"paths": [""]}, [], "x"]
    refused = [answer_to(url.replace("datasets", "photo-labels"), body)[0] for body in wrong]

    assert status == 200
    assert [place["label"] for place in answer["places"]] == ["cat", "dog", "", "", ""]
    assert [bool(place["why"]) for place in answer["places"]] == [False, False, True, True, False]
    assert refused == [400] * 4
