"""H.264 in MP4 by the program ffmpeg: in a process of its own, which has the lowest priority and may be killed."""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.parts.clips.ring import Cut
from vitcam.processes.child import how_it_ended, without_settings
from vitcam.processes.command import run_with_timeout
from vitcam.rects import Box
from vitcam.text import printable

INSTALL = "sudo apt install ffmpeg"
_ASK_S = 10.0
_LEAVE_S = 1.0
_PAUSE_S = 0.05
"""Before each picture, which takes 3 ms to encode, and three times as long on a Pi. Even the lowest priority takes time
from a network that uses every core: its threads wait for each other, and the encoder fills each such gap."""
_WORDS = 4096  # bytes of what ffmpeg says that are read
_NICEST = 19


class Ffmpeg:
    """The program at `path`; `find` gives one that can encode H.264."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """Of the process that encodes now."""
        process = self._process
        return None if process is None else process.pid

    def encode(self, cut: Cut, fps: float, to: Path, timeout_s: float) -> None:
        """Write a clip into the file `to`. Raises VitcamError with the reason, OSError if no process can be started."""
        words = os.memfd_create("ffmpeg-words", os.MFD_CLOEXEC)
        try:
            process = self._process = _start_low_priority(self._command(fps, cut.box, to), words)
            with _killed_after(process, timeout_s):
                if self._stopped:
                    process.kill()
                _feed(process, at_constant_rate(cut, fps))
                code = process.wait(timeout_s + _LEAVE_S)
            if code:
                said = os.pread(words, _WORDS, 0).decode(errors="replace").strip().splitlines()
                raise VitcamError(printable(said[-1]) if said else f"ffmpeg ended {how_it_ended(code)}")
        except subprocess.TimeoutExpired:
            raise VitcamError("ffmpeg does not end, and not even SIGKILL ends it") from None
        finally:
            self._process = None
            os.close(words)

    def stop(self) -> None:
        """Kill what is being encoded, and everything that is asked for later. May be called in any thread."""
        self._stopped = True
        self.abort()

    def abort(self) -> None:
        """Kill what is being encoded now. May be called in any thread."""
        process = self._process
        if process is not None:
            process.kill()

    def _command(self, fps: float, box: Box | None, to: Path) -> list[str]:
        second = str(max(1, round(fps)))
        return [
            *(self.path, "-nostdin", "-hide_banner", "-loglevel", "error", "-y"),
            *("-threads", "1", "-filter_threads", "1", "-f", "mjpeg", "-framerate", f"{fps:g}", "-i", "pipe:0", "-an"),
            # JPEGs have the full range and the matrix of BT.601; players of H.264 expect neither
            *("-vf", "scale=out_range=tv:out_color_matrix=bt709,format=yuv420p"),
            *("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"),
            *("-c:v", "libx264", "-preset", "superfast", "-crf", "26", "-threads", "1"),
            *("-g", second, "-keyint_min", second, "-sc_threshold", "0"),  # a player can seek to every second
            *("-map_metadata", "-1", *(() if box is None else ("-metadata", f"comment=box {box}"))),
            *("-movflags", "+faststart", "-f", "mp4", str(to)),
        ]


def find_ffmpeg() -> Ffmpeg:
    """The program, looked for in PATH. Raises VitcamError with what to install; takes 0.1 s."""
    path = shutil.which("ffmpeg")
    if path is None:
        raise VitcamError(f"clips need the program ffmpeg, and it is not installed; install it with `{INSTALL}`")
    encoders = run_with_timeout([path, "-hide_banner", "-encoders"], _ASK_S)
    if " libx264 " not in encoders.out:
        raise VitcamError(f"{path} cannot encode H.264, which clips need; install Debian's with `{INSTALL}`")
    return Ffmpeg(path)


def at_constant_rate(cut: Cut, fps: float) -> Iterator[bytes]:
    """One JPEG for each picture of the clip: the one that was the newest at that time.

    So the clip is as long as what it shows, also where pictures came late or less often.
    """
    start_ns = cut.stills[0].captured_ns
    count = max(1, round((cut.end_ns - start_ns) / 1e9 * fps))
    index = 0
    for tick in range(count):
        at_ns = start_ns + round(tick * 1e9 / fps)
        while index + 1 < len(cut.stills) and cut.stills[index + 1].captured_ns <= at_ns:
            index += 1
        yield cut.stills[index].jpeg


def _start_low_priority(command: Sequence[str], words: int) -> "subprocess.Popen[bytes]":
    """Start a command that reads a pipe. What the kernel or a service manager forbids of the below is left out.

    Priority and policy hold for the threads that it starts later: a command that first waits for its input has none
    before. When memory runs out, it is killed before the daemon.

    words    file descriptor that gets what it says on stderr
    raises   OSError if it cannot be started
    source   sched(7): SCHED_IDLE, autogroup
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=words,
        env=without_settings(os.environ),
        # Ctrl-C is for the daemon. In a session of its own the encoder would be a rival of equal rights: Linux shares
        # the processor between sessions first (sched(7): autogroup), and then SCHED_IDLE makes way only later
        process_group=0,
    )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICEST)
    with suppress(OSError):
        os.sched_setscheduler(process.pid, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
    return process


def _feed(process: "subprocess.Popen[bytes]", jpegs: Iterator[bytes]) -> None:
    """Write all to its pipe, slowly enough to leave most of its processor to others."""
    pipe = process.stdin
    if pipe is None:
        return
    try:
        for jpeg in jpegs:
            time.sleep(_PAUSE_S)
            pipe.write(jpeg)
        pipe.close()
    except OSError:  # it has ended, and its exit status says why
        with suppress(OSError):
            pipe.close()


@contextmanager
def _killed_after(process: "subprocess.Popen[bytes]", timeout_s: float) -> Iterator[None]:
    """End a process that takes too long, or that an exception leaves behind."""
    timer = threading.Timer(timeout_s, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LEAVE_S)
