"""Pictures in which there is nothing to see: drawn frames, and the empty parts of photos."""
