"""Positions judged by the moves that can be played there."""

import numpy as np
import pytest
import torch

from canfield_env.engine.observe import TOKEN_UNSEEN
from canfield_env.errors import ConfigError
from canfield_env.training.config import TrainingConfig
from canfield_env.training.model_file import Header, load_like, load_model, save_model
from canfield_env.training.network import TEMPERATURE, CardNetwork
from canfield_env.training.prospects import known_moves
from tests.training.training_helpers import positions, tiny_config, write_model


def scattered(**options):
    """A network whose weights all have a say."""
    torch.manual_seed(0)
    network = CardNetwork(8, 16, **options)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return network


@pytest.mark.parametrize("draw", [1, 3])
def test_the_moves_are_those_that_the_environment_allows(draw):
    tokens, masks = positions(300, stock="auto", draw=draw)
    np.testing.assert_array_equal(known_moves(tokens), masks)


def test_moves_of_cards_that_have_not_been_seen_are_none():
    tokens, masks = positions(200, stock="turn")
    for row, moves in enumerate(known_moves(tokens)):
        cards = (np.flatnonzero(moves) - 1) // 5
        assert (tokens[row, cards] != TOKEN_UNSEEN).all()
        assert moves[np.flatnonzero(masks[row])[1:]].all()  # after turning come the cards that are up, and in order


@pytest.mark.parametrize("options", [{}, {"ahead": True, "score_width": 6}])
def test_a_value_is_of_the_mean_and_the_maximum_of_the_moves(options):
    network = scattered(mobility=True, **options)
    hidden, asked = [], []
    network.moves[-2][-1].register_forward_hook(lambda _, inputs, output: hidden.append(output))
    network.outlook.register_forward_pre_hook(lambda _, inputs: asked.append(inputs))
    tokens, masks = map(torch.from_numpy, positions(40, stock="auto"))
    network(tokens, masks)
    moves = torch.split(hidden[0], masks.sum(1).tolist())
    expected = torch.stack([torch.cat([of_game.mean(0), of_game.amax(0)]) for of_game in moves])
    torch.testing.assert_close(asked[0][1], expected)
    first = network.outlook[0][0](asked[0][0]) + network.outlook.of_moves(expected)
    torch.testing.assert_close(network.value(tokens), network.outlook[1](torch.relu(first)).squeeze(1))


def test_a_value_does_not_depend_on_which_moves_may_be_played():
    network = scattered(mobility=True, ahead=True)
    tokens, masks = map(torch.from_numpy, positions(40, stock="auto"))
    fewer = masks.clone().scatter_(1, masks.int().argmax(1, keepdim=True), False)
    with torch.no_grad():
        (all_scores, all_values), (scores, values) = network(tokens, masks), network(tokens, fewer)
    torch.testing.assert_close(values, all_values)
    torch.testing.assert_close(scores[fewer], all_scores[fewer])


def test_a_position_without_moves_has_a_value():
    tokens, _ = positions(1, stock="auto")
    tokens[:, :52] = TOKEN_UNSEEN
    network = scattered(mobility=True, afterstates=True)
    assert not known_moves(tokens).any()
    assert torch.isfinite(network.value(torch.from_numpy(tokens))).all()


@pytest.mark.parametrize("network", [{}, {"afterstates": True}, {"ahead": True, "score_width": 8}])
def test_a_model_without_goes_on_with_it_as_it_is(tmp_path, network):
    write_model(tmp_path / "model.zip", network=network)
    header, plain = load_model(tmp_path / "model.zip")
    grown = load_like(tmp_path / "model.zip", header.network.model_copy(update={"mobility": True}))
    tokens, masks = map(torch.from_numpy, positions(60, stock="auto"))
    for here, there in zip(plain(tokens, masks), grown(tokens, masks), strict=True):
        torch.testing.assert_close(here, there)


def test_what_positions_after_moves_promise_comes_from_their_moves_too():
    network = scattered(mobility=True, afterstates=True)
    torch.nn.init.zeros_(network.moves[-1].weight)  # so the moves are read for nothing but that
    tokens, masks = map(torch.from_numpy, positions(60, stock="auto"))
    torch.log_softmax(network(tokens, masks)[0], 1)[masks].square().sum().backward()
    for weights in (network.promise.of_moves.weight, network.moves[0][0].weight):
        assert isinstance(weights.grad, torch.Tensor)
        assert (weights.grad != 0).any()
    assert network.outlook.of_moves.weight.grad is None  # the value is none of these scores


def test_the_moves_are_learned_by_the_value():
    network = scattered(mobility=True)
    network.value(torch.from_numpy(positions(60, stock="auto")[0])).square().sum().backward()
    for weights in (network.outlook.of_moves.weight, network.moves[0][0].weight):
        assert isinstance(weights.grad, torch.Tensor)
        assert (weights.grad != 0).any()


def test_promises_begin_with_what_the_value_makes_of_the_moves(tmp_path):
    write_model(tmp_path / "model.zip", network={"mobility": True})
    header, plain = load_model(tmp_path / "model.zip")
    grown = load_like(tmp_path / "model.zip", header.network.model_copy(update={"afterstates": True}))
    tokens = torch.from_numpy(positions(60, stock="auto")[0])
    assert isinstance(grown, CardNetwork)
    with torch.no_grad():
        promises = grown._judge(grown.promise, tokens)
    torch.testing.assert_close(promises, plain.value(tokens).detach() * 0.99 / TEMPERATURE, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        (("env.stock=turn",), "network.mobility needs env.stock to be auto, not turn"),
        (("env.rules=hoyle", "evaluation.suite=hoyle-test"), "network.mobility looks ahead by the rules of app"),
        (("network.move_width=8",), "network.mobility does not go with network.move_width"),
    ],
)
def test_what_does_not_go_with_it_is_refused(tmp_path, settings, fault):
    with pytest.raises(ConfigError, match=fault):
        tiny_config(tmp_path, "network.mobility=true", *settings)
    assert isinstance(tiny_config(tmp_path, "network.mobility=true"), TrainingConfig)


def test_a_model_of_another_game_with_it_is_refused(tmp_path):
    header = Header.of_run(tiny_config(tmp_path, "network.mobility=true"))
    header.stock = "turn"
    save_model(tmp_path / "model.zip", header, CardNetwork(8, 16, mobility=True))
    with pytest.raises(ConfigError, match=r"model\.zip: network\.mobility needs env\.stock to be auto"):
        load_model(tmp_path / "model.zip")
