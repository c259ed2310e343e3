"""The errors that bad input raises. All are ``ValueError``, and after any of them nothing has changed."""


class NotationError(ValueError):
    """A card, move token, position or action that cannot be read."""


class IllegalMoveError(ValueError):
    """A move that can be read but is against the rules where it is played; the text gives the reason."""


class DealError(ValueError):
    """A game code or a deck that names no deal; the text says which letter or card is at fault."""


class ConfigError(ValueError):
    """A rule set, suite, training run or other configuration that does not hold together."""


class RecordError(ValueError):
    """A record that cannot be read, or one that its replay does not bear out; the text says where and why."""
