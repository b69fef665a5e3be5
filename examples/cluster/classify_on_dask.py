"""Classify a folder of photos on several machines with Dask, and write the answers as Parquet.

python examples/cluster/classify_on_dask.py FOLDER ANSWERS --workers 4
python examples/cluster/classify_on_dask.py FOLDER ANSWERS --scheduler tcp://10.0.0.1:8786

Every machine must see FOLDER and ANSWERS under the same path. The photos are listed once, in parts. A part becomes one
file, in one step, so each photo is answered exactly once, whatever is killed. The same command again does what is left.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import dask.bag
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster, Worker, WorkerPlugin, as_completed, get_worker

from vitcam import (
    Classifier,
    SourceError,
    SourceOptions,
    UsageError,
    VitcamError,
    find_images,
    open_source,
    prediction_record,
)

GUESS = pa.struct([("label", pa.string()), ("p", pa.float64())])
COLUMNS = pa.schema(
    [
        ("path", pa.string()),
        ("label", pa.string()),  # the displayed name of a label or a group; null: none is likely enough
        ("p", pa.float64()),
        ("level", pa.string()),  # label, group or none
        ("known", pa.bool_()),
        ("top", pa.list_(GUESS)),
        ("error", pa.string()),  # why the photo has no answer, else null
    ]
)


class LoadModel(WorkerPlugin):  # type: ignore[misc]  # Dask has no types
    """Gives each worker a classifier of its own, once, also one that takes the place of a worker that died."""

    name = "vitcam"

    def __init__(self, model: str) -> None:
        self._model = model

    def setup(self, worker: Worker) -> None:
        """Called in the worker when it starts."""
        worker.vitcam_classifier = Classifier(self._model, threads=1)


def rows_of(classifier: Classifier, path: str) -> Iterator[dict[str, Any]]:
    """One row for a photo: its answer, or why it has none."""
    errors: list[str] = []
    options = SourceOptions(input=classifier.input, on_unreadable=lambda bad: errors.append(bad.error))
    try:
        with open_source(f"images:{path}", options) as frames:
            for frame in frames:
                record = prediction_record(classifier(frame))
                yield {**record["shown"], "path": record["path"], "known": record["known"], "top": record["top"]}
    except SourceError as error:  # it was deleted since it was listed; a model that fails is no fault of the photo
        errors.append(str(error))
    yield from ({"path": path, "error": error} for error in errors)


def classify_parts(parts: list[str], answers: str) -> list[dict[str, float]]:
    """Classify the photos of some parts, in a worker; gives what each has cost."""
    classifier: Classifier = get_worker().vitcam_classifier
    return [classify_part(classifier, Path(answers), part) for part in parts]


def classify_part(classifier: Classifier, answers: Path, part: str) -> dict[str, float]:
    """Write ANSWERS/PART.parquet. A worker that is killed leaves no half of it."""
    cpu_s = time.process_time()
    paths = json.loads((answers / "_photos" / f"{part}.json").read_text("utf-8"))
    rows = [row for path in paths for row in rows_of(classifier, path)]
    partial = answers / f".{part}.{os.getpid()}.partial"
    pq.write_table(pa.Table.from_pylist(rows, COLUMNS), partial)
    partial.replace(answers / f"{part}.parquet")
    errors = sum(row.get("error") is not None for row in rows)
    return {"photos": len(rows), "errors": errors, "cpu_s": time.process_time() - cpu_s}


def list_photos(folder: str, answers: Path, model: str, size: int) -> list[str]:
    """The names of all parts. Lists the photos the first time; later runs go by that list.

    raises  UsageError if ANSWERS belongs to another folder or model
    """
    identity = Classifier(model, threads=1).identity
    job = {"folder": str(Path(folder).resolve()), "model": identity.name, "fingerprint": identity.fingerprint}
    listed, photos = answers / "_job.json", answers / "_photos"
    if not listed.exists():
        photos.mkdir(parents=True, exist_ok=True)
        found, number = find_images(folder), 0
        while paths := list(islice(found, size)):
            (photos / f"part-{number:06d}.json").write_text(json.dumps(paths), "utf-8")
            number += 1
        partial = answers / "._job.partial"
        partial.write_text(json.dumps({**job, "parts": number}), "utf-8")
        partial.replace(listed)
    before = json.loads(listed.read_text("utf-8"))
    if {**job, "parts": before["parts"]} != before:
        raise UsageError(f"{answers} has answers of {before['model']} about {before['folder']}; name another folder")
    return [f"part-{number:06d}" for number in range(before["parts"])]


def classify(client: Client, missing: list[str], answers: Path, model: str) -> int:
    """Classify the missing parts on the cluster; gives how many failed."""
    client.register_plugin(LoadModel(model))
    # a whole cluster may be asked for its processes: these are where photos are classified
    print(f"workers: {' '.join(str(pid) for pid in client.run(os.getpid).values())}", file=sys.stderr, flush=True)
    began_s, totals, failed = time.monotonic(), {"photos": 0.0, "errors": 0.0, "cpu_s": 0.0}, 0
    bag = dask.bag.from_sequence(missing, partition_size=1).map_partitions(classify_parts, str(answers))
    for future in as_completed(client.compute(bag.to_delayed(), retries=2)):
        if future.status != "finished":  # such as KilledWorker: several workers died of the same part
            failed += 1
            print(f"a part failed: {future.exception()!r}", file=sys.stderr)
            continue
        for cost in future.result():
            totals = {name: totals[name] + cost[name] for name in totals}
    wall_s = time.monotonic() - began_s
    print(
        f"{totals['photos']:.0f} photos, {totals['errors']:.0f} without an answer, in {wall_s:.1f} s: "
        f"{totals['photos'] / wall_s:.1f} photos/s; {totals['cpu_s']:.1f} s of processor time, "
        f"{1000 * totals['cpu_s'] / max(1.0, totals['photos']):.1f} ms a photo",
        flush=True,
    )
    return failed


def main(arguments: list[str]) -> int:
    """Gives the exit code: 1 if a part failed, 2 for a wrong folder."""
    parser = argparse.ArgumentParser(description="Classify a folder of photos with Dask.")
    parser.add_argument("folder")
    parser.add_argument("answers", type=Path)
    parser.add_argument("--scheduler", help="address of a Dask scheduler; without it, a cluster on this machine")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes on this machine")
    parser.add_argument("--model", default="everyday")
    parser.add_argument("--part", type=int, default=1000, help="photos in a file of answers")
    options = parser.parse_args(arguments)
    try:
        parts = list_photos(options.folder, options.answers, options.model, options.part)
    except VitcamError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    missing = [part for part in parts if not (options.answers / f"{part}.parquet").exists()]
    print(f"{len(parts) - len(missing)} of {len(parts)} parts were answered before", file=sys.stderr)
    if not missing:
        return 0
    if options.scheduler:
        with Client(options.scheduler) as client:
            return min(1, classify(client, missing, options.answers, options.model))
    with (
        LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        return min(1, classify(client, missing, options.answers, options.model))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
