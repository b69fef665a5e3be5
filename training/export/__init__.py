"""From a checkpoint to the files that ship. In: weights. Out: an int8 model file that describes itself."""
