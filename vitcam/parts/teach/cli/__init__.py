"""`vitcam collect`, `vitcam datasets` and `vitcam teach`."""
