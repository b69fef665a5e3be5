"""The routes of data sets, the inbox and teaching."""
