"""Files that outlive a run. In: texts. Out: whole files or none, a last good copy, and one daemon for each folder."""
