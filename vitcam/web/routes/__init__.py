"""What a route answers. In: a checked request. Out: a response. Nothing here may block the loop."""
