"""`vitcam service`: installs vitcam for systemd, replaces it by another version, and says how it is.

In: a wheel, a folder, or the distribution that runs. Out: a release in /opt, unit files, and sentences. Everything that
may hang has a time limit.
"""
