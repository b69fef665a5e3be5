"""The file `events.db`. In: changes and queries. Out: rows. May block: the disk, and another process that writes."""
