"""Which part of a frame is looked at, and when: zones, masks, whether anything moves, and what is followed.

In: frames and what the model says. Out: regions of the picture. Nothing here draws or classifies.
"""
