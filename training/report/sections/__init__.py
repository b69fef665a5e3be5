"""The sections of a report. In: what was gathered. Out: a part of the page for each."""
