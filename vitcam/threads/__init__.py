"""Threads that nobody has to look after: a failed loop begins again, and one that stands still is seen."""
