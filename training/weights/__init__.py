"""Weights in files, our own and others'. In: a file. Out: tensors, their shapes compared with the network's."""
