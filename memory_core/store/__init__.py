"""The database: tables, sessions, migrations; the only home of SQL dialects."""
