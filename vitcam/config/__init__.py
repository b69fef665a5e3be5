"""The settings. In: files, variables, options. Out: one frozen `Settings`, or a sentence on what is wrong."""
