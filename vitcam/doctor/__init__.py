"""`vitcam doctor`. In: settings and a machine. Out: a finding for each check, with what to do."""
