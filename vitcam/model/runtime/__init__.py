"""What runs a TFLite graph. In: the bytes of a model. Out: an Interpreter. May block: for one inference."""
