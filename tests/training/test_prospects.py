"""What moves make possible next, held to the games in which they are played."""

import numpy as np
import pytest
import torch

from canfield_env.engine import kernels, layout
from canfield_env.engine.observe import TOKEN_UNSEEN
from canfield_env.env.vector import CanfieldVectorEnv
from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.training.config import TrainingConfig
from canfield_env.training.model_file import Header, load_like, load_model, save_model
from canfield_env.training.network import CardNetwork
from canfield_env.training.prospects import KINDS, find_prospects
from tests.training.training_helpers import positions, tiny_config

NOTHING = -1  # no card was turned up


def told(tokens, masks):
    """The sets of cards of each game and move: ``{(game, action): (set, set, set, set)}``."""
    found = find_prospects(tokens, masks)
    parts = np.split(found.cards, found.starts[1:])
    moves = list(zip(*np.nonzero(masks), strict=True))
    assert len(parts) == len(KINDS) * len(moves)
    sets = {}
    for place, (game, action) in enumerate(moves):
        of_move = parts[len(KINDS) * place : len(KINDS) * (place + 1)]
        assert all((cards // 52 == game).all() for cards in of_move)
        sets[game, action] = tuple({int(card) % 52 for card in cards} for cards in of_move)
    return sets


def playable(game, settings, turned_up):
    """The cards that may go up, and those that may go onto columns, but for one that was just turned up."""
    kernels.find_moves(game, settings[0])
    up = {card for card in range(52) if game["legal"][0] >> card & 1}
    onto = set()
    for column in range(4):
        last = game["columns"][column, game["length"][column] - 1] if game["length"][column] else None
        if last != turned_up:
            onto |= {card for card in range(52) if game["legal"][1 + column] >> card & 1}
    return up - {turned_up}, onto - {turned_up}


@pytest.mark.parametrize("draw", [1, 3])
def test_they_are_what_can_be_played_after_the_move_and_could_not_before(draw):
    env = CanfieldVectorEnv(16, "app", draw=draw, stock="auto", observation="tokens")
    observations, info = env.reset(seed=4)
    settings, rng = env._batch.settings, np.random.default_rng(0)
    compared = turning = 0
    for _ in range(60):
        masks = info["action_mask"].astype(np.bool_)
        games = env._batch.games.copy()
        for (row, action), sets in told(observations.view(np.uint8), masks).items():
            if games[row]["outcome"] != layout.RUNNING:
                continue  # its mask is all ones
            before, after = games[row].copy(), games[row].copy()
            up, onto = playable(before, settings, NOTHING)
            reserve = after["reserve"][: after["reserve_count"]].tolist()
            kernels.play(after, action)
            hidden = observations[row].view(np.uint8)[:52] == TOKEN_UNSEEN
            card = reserve[-2] if len(reserve) > after["reserve_count"] and len(reserve) > 1 else None
            came_up = card if card is not None and hidden[card] else NOTHING
            # Where the top of the reserve filled a column, the one below it came up in the reserve.
            up_then, onto_then = playable(after, settings, came_up)
            moved = {(action - 1) // 5}
            expected = (up_then - up, onto_then - onto, up - up_then - moved, onto - onto_then - moved)
            assert sets == expected
            compared += 1
            turning += came_up != NOTHING
        observations, _, _, _, info = env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    assert compared > 2000
    assert turning > 50


def test_a_move_that_is_not_legal_changes_nothing():
    tokens, masks = positions(30, stock="auto")
    assert all(
        sets == (set(), set(), set(), set())
        for (game, action), sets in told(tokens, np.ones_like(masks)).items()
        if not masks[game, action]
    )


def test_at_first_they_have_no_say(tmp_path):
    config = tiny_config(tmp_path, "network.rounds=1")
    torch.manual_seed(1)
    network = CardNetwork(8, 16, rounds=1)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    save_model(tmp_path / "model.zip", Header.of_run(config), network)
    ahead = tiny_config(tmp_path, "network.rounds=1", "network.ahead=true").network
    grown = load_like(tmp_path / "model.zip", ahead)
    assert isinstance(grown, CardNetwork)
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    for one, other in zip(network(tokens, masks), grown(tokens, masks), strict=True):
        torch.testing.assert_close(one, other)
    torch.nn.init.normal_(grown.ahead.weight)
    assert (grown(tokens, masks)[0] != network(tokens, masks)[0]).any()
    with pytest.raises(ConfigError, match="the model's network is"):
        load_like(tmp_path / "model.zip", tiny_config(tmp_path, "network.rounds=2", "network.ahead=true").network)


def test_a_model_that_cannot_read_the_moves_of_its_game_is_refused(tmp_path):
    header = Header.of_run(tiny_config(tmp_path, "network.ahead=true"))
    header.rules = Rules(take_back=False).to_dict()
    save_model(tmp_path / "model.zip", header, CardNetwork(8, 16, ahead=True))
    with pytest.raises(ConfigError, match=r"model\.zip: network\.ahead looks ahead by the rules of app"):
        load_model(tmp_path / "model.zip")


def test_a_network_without_them_does_not_go_on_from_one_that_has_them(tmp_path):
    config = tiny_config(tmp_path, "network.ahead=true")
    save_model(tmp_path / "model.zip", Header.of_run(config), CardNetwork(8, 16, ahead=True))
    with pytest.raises(ConfigError, match="the model's network is"):
        load_like(tmp_path / "model.zip", tiny_config(tmp_path).network)


def test_the_gradients_reach_the_cards_that_are_freed():
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    network = CardNetwork(8, 16, ahead=True)
    torch.nn.init.ones_(network.moves[-1].weight)  # type: ignore[arg-type]
    torch.nn.init.normal_(network.ahead.weight)
    for parameter in network.moves[0].parameters():
        torch.nn.init.constant_(parameter, 1.0 if parameter.ndim == 1 else 0.0)  # nothing else tells of the cards
    network(tokens, masks)[0][masks].sum().backward()
    for weights in (network.ahead.weight, network.cards.weight):
        assert weights.grad is not None
        assert (weights.grad != 0).any()


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        (("network.move_width=8",), "network.ahead does not go with network.move_width"),
        (
            ("env.rules=hoyle", "env.stock=turn", "evaluation.suite=hoyle-test"),
            "network.ahead looks ahead by the rules of app",
        ),
    ],
)
def test_what_does_not_go_with_it_is_refused(tmp_path, settings, fault):
    with pytest.raises(ConfigError, match=fault):
        tiny_config(tmp_path, "network.ahead=true", *settings)
    assert isinstance(tiny_config(tmp_path, "network.ahead=true"), TrainingConfig)
