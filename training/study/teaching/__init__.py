"""What `vitcam teach` reaches, beside other ways to learn from the same few photos."""
