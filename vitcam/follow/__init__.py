"""Follows what moves: boxes around it, and which of them deserves a look. In: frames, and what looks showed."""
