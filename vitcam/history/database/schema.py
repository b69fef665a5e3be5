"""The tables of the history, and how an older file becomes a newer one.

`PRAGMA user_version` counts the migrations that a file has had. A migration is never changed once it was released.
"""

import sqlite3

from vitcam.errors import VitcamError

_TABLES = (
    """CREATE TABLE models (
        n INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        UNIQUE (name, fingerprint)
    ) STRICT""",
    """CREATE TABLE events (
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
    ) STRICT""",
    "CREATE INDEX events_by_time ON events (start_ms, n, peak, kind, favourite, frame_bytes, clip_bytes)",
)
_SEARCH = (
    "ALTER TABLE events ADD COLUMN name TEXT AS (coalesce(corrected, label)) VIRTUAL",
    "CREATE INDEX events_by_name ON events (name, start_ms, n, peak, zone, kind)",
    "CREATE INDEX events_by_zone ON events (zone, start_ms, n, peak, kind) WHERE zone IS NOT NULL",
    "CREATE INDEX events_by_star ON events (start_ms, n) WHERE favourite = 1",
)
_CORRECTIONS = ("CREATE INDEX events_by_correction ON events (start_ms, n) WHERE corrected IS NOT NULL",)
_SHARED_PICTURES = (
    "ALTER TABLE events ADD COLUMN shared INTEGER",  # number of the row whose picture, guesses and evidence it shows
    "ALTER TABLE events ADD COLUMN shares INTEGER NOT NULL DEFAULT 0",  # 1: other rows show those of this one
)
_CLOCKS = (
    """CREATE TABLE clocks (
        n INTEGER PRIMARY KEY,
        boot TEXT NOT NULL,
        booted_ms INTEGER NOT NULL,
        trust INTEGER NOT NULL,
        first INTEGER NOT NULL
    ) STRICT""",
    "ALTER TABLE events ADD COLUMN clock INTEGER",  # the one that dated it; NULL in rows of older versions
)
_DISPLAYED = (
    # what is displayed: a person's word, else the group where no label was likely, else the label
    """ALTER TABLE events ADD COLUMN displayed TEXT
        AS (coalesce(corrected, CASE WHEN kind = 'seen' THEN group_name END, label)) VIRTUAL""",
    "DROP INDEX events_by_name",
    "CREATE INDEX events_by_name ON events (name, start_ms, n, peak, zone, kind, displayed)",
    "CREATE INDEX events_by_display ON events (displayed, start_ms, n, peak, zone, kind, name)",
)
_BOXES = (
    "ALTER TABLE events ADD COLUMN track INTEGER",
    "ALTER TABLE events ADD COLUMN box TEXT",  # x,y,w,h in fractions of the picture; NULL: the whole zone or view
)
_STORIES = (
    "DROP INDEX events_by_time",
    # answers what a day was about without a look at the events themselves
    """CREATE INDEX events_by_time
        ON events (start_ms, n, peak, kind, favourite, frame_bytes, clip_bytes, displayed, name, zone)""",
)
_SECOND = ("ALTER TABLE events ADD COLUMN second TEXT",)  # what a second model says, as JSON; NULL: none was asked
_DETAIL = (
    """ALTER TABLE events ADD COLUMN detail TEXT
        AS (CASE WHEN json_valid(second) THEN json_extract(second, '$.label') END) VIRTUAL""",
    "CREATE INDEX events_by_detail ON events (detail, start_ms, n) WHERE detail IS NOT NULL",
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _TABLES, _SEARCH, _CORRECTIONS, _SHARED_PICTURES, _CLOCKS, _DISPLAYED, _BOXES, _STORIES, _SECOND, _DETAIL,
)  # fmt: skip
"""From version 0, an empty file, to 1, and so on."""


def migrate(connection: sqlite3.Connection, migrations: tuple[tuple[str, ...], ...] = MIGRATIONS) -> None:
    """Bring a database to the newest version in one transaction.

    raises  VitcamError if a newer vitcam has made it; sqlite3.Error
    """
    version = version_of(connection)
    if version > len(migrations):
        raise VitcamError(
            f"the history has version {version}, and this vitcam knows versions up to {len(migrations)}; install the "
            "newer vitcam again, or move events.db and frames away"
        )
    if version == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in migrations[version_of(connection) :]:  # another process may have done it meanwhile
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """How many migrations a database has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
