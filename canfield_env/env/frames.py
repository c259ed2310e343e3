"""What ``render`` gives for a game."""

from __future__ import annotations

from typing import Any

from canfield_env.view import PlayerView


def render_view(view: PlayerView, mode: str, code: str | None = None) -> Any:
    """The table as a picture ``uint8[H, W, 3]`` (``"rgb_array"``) or as text, with the game code above it."""
    if mode == "rgb_array":
        from canfield_env.render.image import render_rgb

        return render_rgb(view, code or "")
    from canfield_env.render.text import render_text

    return render_text(view, title=code or "")
