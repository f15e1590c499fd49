"""The event log: what is kept, in memory or on SQLite."""
