"""What happened, once more: stored events from their pictures, and clips under other settings. Nothing here is live."""
