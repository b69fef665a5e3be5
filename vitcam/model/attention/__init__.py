"""Whom every token attends to, in each block and head. In: a model and a picture. Out: packed weights. May block: 25 s.

A model file gives this of what its head reads alone. So the graph runs once more, without XNNPACK and with all tensors
kept, in a process of its own: on request, never for a camera's frames.
"""
