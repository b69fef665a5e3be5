"""What a process sets for itself: one heap for all threads, as the C library itself reports it, and its place."""

import errno
import subprocess
import sys

import pytest

from vitcam.processes.resources import step_behind

COUNTS_HEAPS = """
import ctypes, re, threading
from vitcam.processes.resources import use_one_heap

{call}
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
here = threading.Barrier(8)
def allocates():
    block = libc.malloc(70_000)
    here.wait(20)
    libc.free(block)
threads = [threading.Thread(target=allocates) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc.open_memstream.restype = libc.fclose.restype = ctypes.c_void_p
text, size = ctypes.c_char_p(), ctypes.c_size_t()
stream = ctypes.c_void_p(libc.open_memstream(ctypes.byref(text), ctypes.byref(size)))
libc.malloc_info(0, stream)
libc.fclose(stream)
print(len(re.findall(rb"<heap nr", text.value)))
"""


@pytest.mark.parametrize(("call", "one"), [("use_one_heap()", True), ("", False)])
def test_threads_share_one_heap_where_it_was_asked_for(call: str, one: bool) -> None:
    script = COUNTS_HEAPS.format(call=call)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)

    assert (int(done.stdout) == 1) is one


LIES_OUTSIDE = """
import ctypes
from vitcam.processes.resources import settle_heap, use_one_heap

class Found(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    _fields_ = [(name, ctypes.c_size_t) for name in names]

mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Found
use_one_heap()
content = bytearray(10_000_000)
print(mallinfo2().hblkhd // 1_000_000)
del content
settle_heap()
picture = bytearray(10_000_000)
print(mallinfo2().hblkhd // 1_000_000)
"""


def test_what_is_large_lies_outside_of_the_heap_while_loading_and_on_it_afterwards() -> None:
    command = [sys.executable, "-c", LIES_OUTSIDE]
    loading, running = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()

    assert int(loading) >= 10
    assert int(running) == 0


KEEPS_AT_THE_TOP = (
    LIES_OUTSIDE[: LIES_OUTSIDE.index("content =")]
    + """
settle_heap({picture_bytes})
pictures = [bytearray(2_000_000) for _ in range(7)]
del pictures
print(mallinfo2().keepcost)
"""
)


@pytest.mark.parametrize(("picture_bytes", "least", "most"), [(2_000_000, 0, 3_000_000), (0, 12_000_000, 16 << 20)])
def test_one_and_a_half_pictures_stay_free_at_the_top_of_the_heap_once_their_size_is_known(
    picture_bytes: int, least: int, most: int
) -> None:
    script = KEEPS_AT_THE_TOP.format(picture_bytes=picture_bytes)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)

    assert least <= int(done.stdout) <= most


GIVES_BACK = """
import re
from pathlib import Path
from vitcam.processes.resources import trim_heap, use_one_heap

def resident():
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

use_one_heap()
blocks = [bytearray(60_000) for _ in range(1000)]
last = bytearray(60_000)  # above them on the heap, so that the heap cannot shrink
full = resident()
del blocks
freed = resident()
trim_heap()
print(full - freed, freed - resident())
"""


def test_pages_of_the_heap_on_which_nothing_lies_are_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", GIVES_BACK], capture_output=True, text=True, timeout=60, check=True)

    by_itself_kb, then_kb = map(int, done.stdout.split())
    assert by_itself_kb + then_kb > 50_000
    assert then_kb > 1_000


def test_a_service_that_forbids_to_step_behind_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def forbidden(niceness: int) -> int:
        asked.append(niceness)
        raise PermissionError(errno.EPERM, "Operation not permitted")  # of a filter of system calls

    monkeypatch.setattr("os.nice", forbidden)

    step_behind()

    assert asked == [10]


WAITS_FOR_A_BUSY_THREAD = """
import statistics, threading, time
from vitcam.processes.resources import switch_threads_often

def busy():
    while not over.is_set():
        sum(range(100))

def waited():
    waits = []
    for _ in range(30):
        began = time.perf_counter()
        time.sleep(0)
        waits.append(time.perf_counter() - began)
    return statistics.median(waits)

over = threading.Event()
thread = threading.Thread(target=busy)
thread.start()
before = max(waited() for _ in range(5))  # beside other tests the busy thread does not always run, or runs for long
switch_threads_often()
print(min(waited() for _ in range(5)) < before / 2)
over.set()
thread.join()
"""


def test_a_frame_does_not_wait_long_for_a_thread_that_keeps_python_busy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WAITS_FOR_A_BUSY_THREAD], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout == "True\n"


LOOKS_FOR_GARBAGE = """
import gc
from vitcam.processes.resources import collect_garbage_often, let_garbage_lie

let_garbage_lie()
print(gc.isenabled())
collect_garbage_often()
print(gc.isenabled())
"""


def test_garbage_is_looked_for_once_everything_is_loaded() -> None:
    command = [sys.executable, "-c", LOOKS_FOR_GARBAGE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.split() == ["False", "True"]
