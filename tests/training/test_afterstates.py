"""Where moves lead, and moves scored by it."""

import numpy as np
import pytest
import torch

from canfield_env.engine.layout import RUNNING
from canfield_env.engine.observe import COUNT_RESERVE, TOKEN_UNSEEN
from canfield_env.env.options import EnvOptions
from canfield_env.env.vector import CanfieldVectorEnv
from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.training.afterstates import foresee
from canfield_env.training.config import CardNetworkSection, Rewards, TrainingConfig
from canfield_env.training.lookahead import worth_of_moves
from canfield_env.training.model_file import Header, load_like, load_model, save_model
from canfield_env.training.network import LIKELY, TEMPERATURE, CardNetwork
from tests.training.training_helpers import positions, tiny_config, write_model

RESERVE = 52 + COUNT_RESERVE
OPTIONS = EnvOptions.of("app", stock="auto", observation="tokens")


def test_a_stock_with_hidden_cards_is_refused():
    tokens, masks = positions(1, stock="turn")
    with pytest.raises(ConfigError, match="only with stock auto, not turn"):
        foresee(tokens, masks, EnvOptions.of("app", stock="turn"))


def hidden(tokens):
    return (tokens[..., :52] == TOKEN_UNSEEN).sum(-1)


@pytest.mark.parametrize(
    ("rules", "draw"),
    [
        ("app", 3),
        ("app", 1),
        (Rules(ranks=7, reserve=5, columns=3), 3),
        (Rules(ranks=5, reserve=4, columns=2), 1),
        (Rules(ranks=3, reserve=2, columns=3), 1),
    ],
)
def test_moves_lead_where_the_game_goes(rules, draw):
    options = EnvOptions.of(rules, draw=draw, stock="auto", observation="tokens")
    env = CanfieldVectorEnv(16, rules, draw=draw, stock="auto", observation="tokens")
    rng = np.random.default_rng(0)
    observations, info = env.reset(seed=3)
    compared = turned = over = won = 0
    for _ in range(400):
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        running = env._batch.games["outcome"] == RUNNING
        before, masks = observations.view(np.uint8), np.zeros(info["action_mask"].shape, np.bool_)
        masks[np.arange(16), chosen] = running
        ahead = foresee(before, masks, options)
        observations, paid, terminated, truncated, info = env.step(chosen)
        for move, row in enumerate(np.flatnonzero(running)):
            places = np.flatnonzero(ahead.move == move)
            after = observations[row].view(np.uint8)
            ended = terminated[row] or truncated[row]
            if hidden(after) == hidden(before[row]):
                assert len(places) == 1
            else:
                turned += 1
                was_hidden = (before[row, :52] == TOKEN_UNSEEN) & (np.arange(52) % 13 < options.rules.ranks)
                shown = (ahead.tokens[places, :52] != TOKEN_UNSEEN) & was_hidden
                assert len(places) == was_hidden.sum()
                assert (shown.sum(1) == 1).all()  # each of the hidden cards once
                assert (shown.sum(0) == was_hidden).all()
                places = places[(ahead.tokens[places] == after).all(1)]
                assert len(places) == 1  # among them the one that is to come
            (place,) = places
            assert (ahead.tokens[place] == after).all()
            assert ahead.points[place] == paid[row]
            assert ahead.from_reserve[place] == int(before[row, RESERVE]) - after[RESERVE]
            assert ahead.won[place] == (ended and info["outcome"][row] == "won")
            assert ahead.over[place] == ended
            compared += 1
            over += ended
            won += ahead.won[place]
    assert compared > 500
    assert turned > 30
    assert over > 0
    assert won > 0 or rules == "app" or rules.ranks > 3


def test_all_moves_of_a_position_are_looked_at_alike():
    """What is found of a move does not depend on which others are looked at."""
    tokens, masks = positions(60, stock="auto")
    together = foresee(tokens, masks, OPTIONS)
    moves = np.argwhere(masks)
    rng = np.random.default_rng(0)
    for move in rng.choice(len(moves), 40, replace=False):
        row, action = moves[move]
        alone = np.zeros((1, masks.shape[1]), np.bool_)
        alone[0, action] = True
        found = foresee(tokens[row : row + 1], alone, OPTIONS)
        for here, there in ((found.tokens, together.tokens), (found.points[:, None], together.points[:, None])):
            assert sorted(map(tuple, here)) == sorted(map(tuple, there[together.move == move]))


def grown(tmp_path, network=(), **about):
    """A model without afterstates, and its network with them."""
    path = write_model(tmp_path / "model.zip", network=network, **about)
    section = CardNetworkSection(width=8, table_width=16, afterstates=True, **dict(network))
    network = load_like(path, section)
    assert isinstance(network, CardNetwork)
    return load_model(path)[1], network


@pytest.mark.parametrize(
    "network", [{}, {"reach": True, "rounds": 1, "groups": True, "norm": True, "score_width": 8, "ahead": True}]
)
def test_likely_moves_are_scored_by_the_value_of_where_they_lead(tmp_path, network):
    plain, network = grown(tmp_path, network, scores=0.7)
    tokens, masks = map(torch.from_numpy, positions(200, stock="auto"))
    with torch.no_grad():
        before, after = plain(tokens, masks)[0], network(tokens, masks)[0]
    header = load_model(tmp_path / "model.zip")[0]
    assert header.rewards is not None
    ahead = foresee(tokens.numpy(), masks.numpy(), OPTIONS)
    worth = worth_of_moves(plain, ahead, masks, header.rewards, 0.99) / TEMPERATURE
    compared = opening = unlikely = 0
    for row in range(len(tokens)):
        probability = torch.softmax(before[row], 0)
        likely = masks[row] & (probability >= LIKELY)
        gained = after[row] - before[row]
        assert (gained[masks[row] & ~likely] == 0).all()
        if likely.sum() > 1:
            full = (probability[likely] / LIKELY - 1).clamp(0, 1)
            weights = probability[likely] * full
            mean = (worth[row][likely] * weights).sum() / weights.sum()
            torch.testing.assert_close(gained[likely], full * (worth[row][likely] - mean), rtol=1e-3, atol=1e-3)
            compared += int((full == 1).sum())
            opening += int((full < 1).sum())
            unlikely += int((masks[row] & ~likely).sum())
        else:
            assert (gained[masks[row]] == 0).all()
    assert min(compared / 10, opening, unlikely) > 5
    assert (before.argmax(1) != after.argmax(1)).sum() > 5


def test_a_new_network_gives_them_no_say():
    torch.manual_seed(1)
    one, other = CardNetwork(8, 16), CardNetwork(8, 16, afterstates=True)
    for parameter in one.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    other.load_state_dict(one.state_dict(), strict=False)
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    for here, there in zip(one(tokens, masks), other(tokens, masks), strict=True):
        torch.testing.assert_close(here, there)


def test_a_position_is_judged_by_itself(tmp_path):
    _, network = grown(tmp_path)
    tokens, masks = map(torch.from_numpy, positions(40, stock="auto"))
    with torch.no_grad():
        together = network(tokens, masks)[0]
        alone = torch.cat([network(tokens[row : row + 1], masks[row : row + 1])[0] for row in range(40)])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-4)


def test_the_gradients_reach_the_cards_of_the_positions_after(tmp_path):
    _, network = grown(tmp_path)
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    for parameter in network.moves[-1].parameters():  # scores alone tell nothing of the cards
        torch.nn.init.zeros_(parameter)
    torch.log_softmax(network(tokens, masks)[0], 1)[masks].square().sum().backward()
    for weights in (network.gains.weight, network.promise[-1].weight, network.cards.weight):
        assert isinstance(weights.grad, torch.Tensor)
        assert (weights.grad != 0).any()


def test_where_no_move_is_to_be_chosen_nothing_is_looked_at(tmp_path, monkeypatch):
    plain, network = grown(tmp_path)
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    one = torch.zeros_like(masks).scatter_(1, masks.int().argmax(1, keepdim=True), True)
    monkeypatch.setattr("canfield_env.training.network.foresee", None)
    torch.testing.assert_close(network(tokens, one)[0], plain(tokens, one)[0])
    assert network(tokens[:0], masks[:0])[0].shape == (0, 261)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        (("env.stock=turn",), "network.afterstates needs env.stock to be auto, not turn"),
        (("env.rules=hoyle", "evaluation.suite=hoyle-test"), "network.afterstates looks ahead by the rules of app"),
    ],
)
def test_what_does_not_go_with_them_is_refused(tmp_path, settings, fault):
    with pytest.raises(ConfigError, match=fault):
        tiny_config(tmp_path, "network.afterstates=true", *settings)
    assert isinstance(tiny_config(tmp_path, "network.afterstates=true"), TrainingConfig)


def test_a_model_that_cannot_foresee_the_moves_of_its_game_is_refused(tmp_path):
    header = Header.of_run(tiny_config(tmp_path, "network.afterstates=true"))
    header.stock = "turn"
    save_model(tmp_path / "model.zip", header, CardNetwork(8, 16, afterstates=True))
    with pytest.raises(ConfigError, match=r"model\.zip: network\.afterstates needs env\.stock to be auto"):
        load_model(tmp_path / "model.zip")


@pytest.mark.parametrize(
    ("about", "fault"),
    [
        ({"rewards": None}, "the model does not say what its value is of"),
        ({"discount": None}, "the model does not say what its value is of"),
        ({"rewards": Rewards(reward="win")}, "the model's value is of the win reward"),
    ],
)
def test_a_model_whose_value_is_of_something_else_cannot_judge_them(tmp_path, about, fault):
    with pytest.raises(ConfigError, match=rf"model\.zip: {fault}"):
        grown(tmp_path, **about)
