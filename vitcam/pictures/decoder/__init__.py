"""A process that decodes the pictures of others. In: bytes. Out: pixels. May block: for the time it is given."""
