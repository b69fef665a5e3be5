"""Drawings of a network. In: its configuration. Out: SVG."""
