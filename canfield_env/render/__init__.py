"""The table for people: a view in, text or pictures out. Nothing here changes a game."""
