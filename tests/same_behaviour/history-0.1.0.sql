-- The history as vitcam 0.1.0 makes it: version 5 of its tables.
PRAGMA page_size = 1024;
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
CREATE TABLE models (
    n INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    UNIQUE (name, fingerprint)
) STRICT;
CREATE TABLE events (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    corrected TEXT,
    zone TEXT,
    camera TEXT NOT NULL,
    start_ms INTEGER NOT NULL,
    end_ms INTEGER,
    seen_ms INTEGER NOT NULL,
    p REAL NOT NULL,
    peak REAL NOT NULL,
    group_name TEXT,
    group_p REAL,
    model INTEGER,
    favourite INTEGER NOT NULL DEFAULT 0,
    frame_bytes INTEGER NOT NULL DEFAULT 0,
    clip_bytes INTEGER NOT NULL DEFAULT 0,
    frame TEXT,
    clip TEXT,
    actions TEXT NOT NULL DEFAULT '[]',
    sight TEXT NOT NULL,
    curve BLOB NOT NULL,
    evidence BLOB
) STRICT;
CREATE INDEX events_by_time ON events (start_ms, n, peak, kind, favourite, frame_bytes, clip_bytes);
ALTER TABLE events ADD COLUMN name TEXT AS (coalesce(corrected, label)) VIRTUAL;
CREATE INDEX events_by_name ON events (name, start_ms, n, peak, zone, kind);
CREATE INDEX events_by_zone ON events (zone, start_ms, n, peak, kind) WHERE zone IS NOT NULL;
CREATE INDEX events_by_star ON events (start_ms, n) WHERE favourite = 1;
CREATE INDEX events_by_correction ON events (start_ms, n) WHERE corrected IS NOT NULL;
ALTER TABLE events ADD COLUMN shared INTEGER;
ALTER TABLE events ADD COLUMN shares INTEGER NOT NULL DEFAULT 0;
CREATE TABLE clocks (
    n INTEGER PRIMARY KEY,
    boot TEXT NOT NULL,
    booted_ms INTEGER NOT NULL,
    trust INTEGER NOT NULL,
    first INTEGER NOT NULL
) STRICT;
ALTER TABLE events ADD COLUMN clock INTEGER;
PRAGMA user_version = 5;
