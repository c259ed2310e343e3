"""The tests, and the helpers that they share."""
