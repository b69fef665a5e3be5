"""Every measurement of the daemon, one after the other: `make bench`.

python -m tests.bench [PART [OPTION...]]    one part alone takes its own options, such as `throughput --rounds 3`
"""

import subprocess
import sys

from vitcam_training.study.quiet import measuring

_PARTS = ("throughput", "latency", "idle", "heat", "startup", "memory", "viewers", "classify", "rewrites", "zones")
_ON_REQUEST = (  # take minutes, or want to know what to be compared with
    "versus", "few_photos", "crowds", "events", "history", "stories", "problems", "clips",
    "backends", "wide_views", "follow", "house", "home_assistant", "fleet", "budget", "page_open", "caption", "rest",
    "frame", "second", "species",
)  # fmt: skip


def main() -> int:
    """Run each part in a process of its own; the first that fails ends it with its exit code."""
    part, *options = sys.argv[1:] or [""]
    if part and part not in _PARTS + _ON_REQUEST:
        print(
            f"there is no part {part!r}; give one of {', '.join(_PARTS + _ON_REQUEST)}, or nothing for all",
            file=sys.stderr,
        )
        return 2
    with measuring():
        for name in (part,) if part else _PARTS:
            print(f"\n{name}: python -m tests.bench.{name}\n", flush=True)
            code = subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *options], check=False).returncode
            if code:
                return code
    return 0


sys.exit(main())
