"""What ``render`` gives for a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from canfield_env.errors import ConfigError
from canfield_env.view import PlayerView


def check_render_mode(mode: str | None, modes: Sequence[str]) -> str | None:
    """The value of the option ``render_mode``.

    Raises:
        ConfigError: it is neither one of the modes nor None.
    """
    if mode is not None and mode not in modes:
        raise ConfigError(f"render_mode must be {', '.join(map(repr, modes))} or None, not {mode!r}")
    return mode


def render_view(view: PlayerView, mode: str, code: str | None = None) -> Any:
    """The table as a picture ``uint8[H, W, 3]`` (``"rgb_array"``) or as text, with the game code above it."""
    if mode == "rgb_array":
        from canfield_env.render.image import render_rgb

        return render_rgb(view, code or "")
    from canfield_env.render.text import render_text

    return render_text(view, title=code or "")
