"""Files that change, as seen without reading them."""

from pathlib import Path

from vitcam.storage.stamp import stamp_of


def test_a_stamp_differs_after_a_file_was_written_replaced_or_deleted(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    seen = [stamp_of([path])]
    path.write_text("one")
    seen.append(stamp_of([path]))
    path.write_text("three")
    seen.append(stamp_of([path]))
    other.write_text("three")
    other.replace(path)
    seen.append(stamp_of([path]))

    assert len(set(seen)) == len(seen)
    assert stamp_of([path]) == seen[-1]
    assert stamp_of([]) == ()
