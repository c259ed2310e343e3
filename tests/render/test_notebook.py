"""What notebooks show of a game, a deal and an environment."""

from __future__ import annotations

from xml.etree import ElementTree

from canfield_env import Deal, Game
from canfield_env.env.single import CanfieldEnv

DEAL = Deal.from_code("CF1-D3-AAAAACL")
SVG = "{http://www.w3.org/2000/svg}svg"


def test_a_game_shows_the_table_as_the_player_knows_it():
    game = Game(DEAL).push_all("R2 RF 24")
    html = game._repr_html_()
    assert ElementTree.fromstring(html).tag == SVG
    assert "CF1-D3-AAAAACL" in html
    assert Game.from_view(game.player_view(), rng=1)._repr_html_().count("<use") == html.count("<use")


def test_a_deal_shows_the_first_position():
    html = DEAL._repr_html_()
    assert html == Game(DEAL)._repr_html_()
    assert Deal.random(1, ranks=5)._repr_html_() is None


def test_an_environment_shows_its_table_once_there_is_one():
    env = CanfieldEnv()
    assert env._repr_html_() is None
    env.reset(options={"deal": "CF1-D3-AAAAACL"})
    assert env._repr_html_() == DEAL._repr_html_()
