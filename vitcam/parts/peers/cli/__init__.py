"""What `vitcam token` does with the tokens of other cameras."""
