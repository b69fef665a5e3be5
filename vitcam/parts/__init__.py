"""What vitcam can do beside seeing: a folder for each part. None of them imports another one."""
