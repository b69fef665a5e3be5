"""Synthetic clips of wide views, and whether what is displayed of them is right: `make bench ARGS=wide_views`.

Things are cut out of photos of Caltech-101 (CC BY 4.0: Li, Andreetto, Ranzato, Perona) and carried through drawn scenes
with weather, shadow, noise and compression. The photos and scenes of the set `final` chose nothing.
"""
