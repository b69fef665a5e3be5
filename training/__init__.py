"""What makes vitcam's models; installed as `vitcam_training`."""
