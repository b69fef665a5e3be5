"""Three threads and the slots between them. In: frames of a source. Out: predictions, and frames for viewers."""
