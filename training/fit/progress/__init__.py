"""What a run says while it trains: a live display, a CSV log, event files, and the time that is left."""
