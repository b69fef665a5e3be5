"""The Pi's own camera, held by a process. In: which streams. Out: frames. May block: only `next`."""
