"""Ask a camera what it shows now, whenever the program wants to know.

python examples/python/ask_a_live_camera.py /dev/video0
"""

import sys
import time

from vitcam import LiveCamera, SourceLost


def main(source: str = "demo", times: int = 3, every_s: float = 1.0) -> None:
    """Print the newest answer, some times."""
    with LiveCamera(source, max_fps=5) as camera:
        for _ in range(times):
            try:
                answer = camera.newest()
            except SourceLost as error:  # it is opened again by itself
                print(f"no picture: {error}", file=sys.stderr)
            else:
                shown = answer.prediction.shown
                print(f"{shown.label or 'not sure'}, {shown.p:.0%}, {1000 * answer.age_s:.0f} ms ago")
            time.sleep(every_s)  # here your program does what it is for


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "demo")
