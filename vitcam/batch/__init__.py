"""`vitcam classify`. In: files, folders, globs, addresses. Out: an answer for each photo, in their order."""
