"""What a notebook shows of a game, a deal or an environment that stands last in a cell."""

from __future__ import annotations

from canfield_env.deals import Deal
from canfield_env.game import Game
from canfield_env.render.svg import render_svg


def game_html(game: Game) -> str:
    """The table as the player knows it."""
    title = game.deal.code if game.deal and game.deal.code else ""
    return render_svg(game.player_view(), title)


def deal_html(deal: Deal) -> str | None:
    """The table as it is dealt, its hidden cards hidden; None for a miniature deal, whose rules are not known."""
    return game_html(Game(deal)) if deal.ranks == 13 else None
