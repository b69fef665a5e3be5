"""The pictures of events. In: JPEGs of changes. Out: files, or events that look the same. May block: the disk."""
