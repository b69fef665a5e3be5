"""A file a runtime. In: the material. Out: a model file, and a session that answers one photo at a time.

`build(material, out)` writes the model; `open_session(model, threads)` loads it with the runtime's own means of
setting threads. Heavy packages are imported inside the functions: each peer needs only its own.
"""
