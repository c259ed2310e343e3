"""Positions as pixels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from PIL import Image

from canfield_env import Deal, Game, Rules
from canfield_env.cards import CARDS
from canfield_env.files import whole_file
from canfield_env.render.image import _card_sprite, render_image, render_rgb, write_gif, write_png


def played(moves: str = "R2 RF 24 D") -> Game:
    return Game(Deal.from_code("CF1-D3-AAAAACL")).push_all(moves)


def test_a_frame_is_a_fresh_array_of_one_size():
    game = played("")
    first = render_rgb(game.player_view())
    kept = first.copy()
    assert first.dtype == np.uint8
    assert first.shape == (758, 820, 3)
    assert all(side % 2 == 0 for side in first.shape[:2]), "video codecs want even sides"
    for move in ("R2", "RF", "24", "D", "D"):
        game.push(move)
        frame = render_rgb(game.player_view())
        assert frame.shape == first.shape
        assert frame.flags.writeable
        assert (frame != first).any()
    first[:] = 0
    fresh = render_rgb(Game(Deal.from_code("CF1-D3-AAAAACL")).player_view())
    assert (fresh == kept).all(), "the caller's change has not reached the next frame"


def test_a_frame_shows_nothing_that_the_player_has_not_seen():
    view = played().player_view()
    other = Game.from_view(view, rng=1)
    assert other.full_position() != played().full_position()
    assert (render_rgb(other.player_view()) == render_rgb(view)).all()


def test_all_faces_and_the_back_differ():
    pictures = {_card_sprite(card, 1).tobytes() for card in (*CARDS, None)}
    assert len(pictures) == 53


@pytest.mark.parametrize("card", [CARDS[0], CARDS[20]])
def test_a_face_is_opaque_inside_and_clear_at_its_corner(card):
    sprite = np.asarray(_card_sprite(card, 1))
    assert sprite.shape == (140, 100, 4)
    assert (sprite[10:-10, 5:-5, 3] == 255).all()
    assert (sprite[0, 0, 3], sprite[-1, -1, 3]) == (0, 0)


def test_the_environment_renders_frames():
    env = gymnasium.make("canfield_env:Canfield-v0", render_mode="rgb_array")
    env.reset(options={"deal": "CF1-D3-AAAAACL"})
    frame: Any = env.render()
    assert (frame == render_rgb(played("").player_view(), "CF1-D3-AAAAACL")).all()


def test_scale_sets_the_size():
    assert render_rgb(played().player_view(), scale=0.5).shape == (379, 410, 3)


def test_png_and_gif_are_written(tmp_path: Path):
    game = played("")
    images = [render_image(game.player_view(), "CF1-D3-AAAAACL", scale=0.4)]
    for move in ("R2", "RF", "24"):
        game.push(move)
        images.append(render_image(game.player_view(), "CF1-D3-AAAAACL", scale=0.4, footer=move))
    with whole_file(tmp_path / "game.png") as file:
        write_png(file, images[-1])
    with Image.open(tmp_path / "game.png") as png:
        assert (png.format, png.size) == ("PNG", images[0].size)
    with whole_file(tmp_path / "game.gif") as file:
        write_gif(file, images, seconds=0.5, last=2)
    with Image.open(tmp_path / "game.gif") as gif:
        durations = []
        for k in range(gif.n_frames):  # type: ignore[attr-defined]
            gif.seek(k)
            durations.append(gif.info["duration"])
        assert durations == [500, 500, 500, 2000]
        assert gif.info["loop"] == 0


def test_miniature_games_are_drawn():
    frame = render_rgb(Game(Deal.random(1, ranks=5), Rules(ranks=5, columns=6, reserve=4)).player_view())
    assert frame.shape[1] > 820


def test_drawing_needs_no_window_library_and_the_package_no_pillow():
    code = (
        "import sys, canfield_env, canfield_env.render.svg\n"
        "assert 'PIL' not in sys.modules, 'Pillow comes with pixels only'\n"
        "from canfield_env.render.image import render_rgb\n"
        "from canfield_env import Deal, Game\n"
        "render_rgb(Game(Deal.from_number(2)).player_view())\n"
        "assert not {'pygame', 'tkinter', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
