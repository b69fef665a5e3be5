"""What was seen, kept on disk. In: frames with their events. Out: stored events. May block: reading, not keeping."""
