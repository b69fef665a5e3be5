"""Sinks. In: predictions and events. Out: lines, messages, rows. May block: each call, so they share a thread."""
