"""The same network in every runtime that could run it here, side by side: `make bench-peers`.

Rules: the same weights and the same photos; each peer's answers are compared with the float network before anything
is timed; a process each, the same number of threads; rounds in turn, medians; each peer as its makers would run it.
"""
