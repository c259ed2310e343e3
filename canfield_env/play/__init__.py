"""The game for people, in the terminal: ``canfield play`` and ``canfield watch``. Needs the extra ``play``."""
