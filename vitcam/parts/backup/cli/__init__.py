"""`vitcam backup` and `vitcam restore`."""
