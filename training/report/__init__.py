"""`vitcam-train report`. In: a model file, photos, what lies beside the model. Out: an HTML page that loads nothing.

`gather` asks the models once and measures; each section turns what was gathered into a part of the page, or into one
sentence on what is missing and how to make it. Blocks for as long as the models take.
"""
