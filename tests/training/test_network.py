"""What the networks read, and that the card network has the game's symmetries."""

import itertools
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from canfield_env.env.observations import PLANES
from canfield_env.env.single import CanfieldEnv
from canfield_env.training import features, links
from canfield_env.training.features import CARD_FEATURES, SIZE
from canfield_env.training.network import MASKED, CardNetwork, FlatNetwork
from tests.training.training_helpers import positions


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("stock", ["turn", "auto"])
def test_the_features_say_what_the_planes_say(draw, stock):
    planes_env = CanfieldEnv(draw=draw, stock=stock)
    tokens_env = CanfieldEnv(draw=draw, stock=stock, observation="tokens")
    rng = np.random.default_rng(1)
    planes, info = planes_env.reset(seed=7)
    tokens, _ = tokens_env.reset(seed=7)
    names = [name for name, _ in PLANES]
    same = {
        "on its foundation": "foundation",
        "next for its foundation": "next",
        "root of a column": "root",
        "last of a column": "last",
        "top of the reserve": "reserve top",
        "unseen": "unseen",
        "place in the order of play, /34": "place",
        "up now": "up now",
        "up later in this pass": "up later",
        "up after the next redeal only": "up after redeal",
    }
    for _ in range(120):
        table = features.read(torch.from_numpy(tokens[None]))
        by_name = planes[: 52 * len(names)].reshape(len(names), 52)
        for feature, plane in same.items():
            read = table.cards[0, :, CARD_FEATURES.index(feature)].numpy()
            np.testing.assert_allclose(read, by_name[names.index(plane)], atol=1e-6, err_msg=feature)
        assert (table.columns[0].numpy() == by_name[[names.index(f"column {k}") for k in (1, 2, 3, 4)]]).all()
        if "outcome" in info:
            break
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        planes, _, _, _, info = planes_env.step(action)
        tokens = tokens_env.step(action)[0]


def around(table, which):
    """What the network reads of one of the cards around each, ``float[N, 52, SIZE]``."""
    return table.cards[:, :, which * SIZE : (which + 1) * SIZE].numpy()


def test_the_cards_around_are_those_of_each_relation():
    tokens, _ = positions(20, stock="auto")
    table = features.read(torch.from_numpy(tokens))
    own = around(table, 0)
    for which, (_, members) in enumerate(links.RELATIONS, 1):
        np.testing.assert_array_equal(around(table, which), sum(own[:, others] for others in members))


def test_beneath_and_above_are_the_neighbours_in_column_and_talon():
    tokens, _ = positions(60, stock="auto")
    table = features.read(torch.from_numpy(tokens))
    own, beneath, above = (around(table, which) for which in (0, 6, 7))
    for game, seen in enumerate(tokens):
        cards = {int(token): card for card, token in enumerate(seen[:52]) if token > 2}
        for card in range(52):
            token = int(seen[card])
            starts_pile = token <= 3 or (token >= 48 and (token - 48) % 52 == 0)
            ends_pile = token <= 2 or token == 47 or (token >= 48 and (token - 48) % 52 == 51)
            below = None if starts_pile else cards.get(token - 1)
            on_top = None if ends_pile else cards.get(token + 1)
            np.testing.assert_array_equal(beneath[game, card], 0 if below is None else own[game, below])
            assert table.beneath[game, card] == (links.NO_CARD if below is None else below)
            np.testing.assert_array_equal(above[game, card], 0 if on_top is None else own[game, on_top])


LARGE: dict[str, Any] = {"reach": True, "rounds": 2, "groups": True, "norm": True, "score_width": 8}
WHOLE: dict[str, Any] = LARGE | {"ahead": True, "afterstates": True}


@pytest.mark.parametrize(
    "make", [CardNetwork, partial(CardNetwork, move_width=8), partial(CardNetwork, **LARGE), FlatNetwork]
)
def test_masked_moves_are_scored_as_such_and_values_agree(make):
    torch.manual_seed(0)
    network = make(16)
    tokens, masks = map(torch.from_numpy, positions(20, stock="turn"))
    logits, values = network(tokens, masks)
    assert logits.shape == (20, 261)
    assert (logits[~masks] == MASKED).all()
    assert (logits[masks] > MASKED / 2).all()
    torch.testing.assert_close(values, network.value(tokens))


# The suits, c d h s, may be swapped where that keeps which of them are of one colour.
SUIT_ORDERS = [(0, 1, 2, 3), (3, 1, 2, 0), (0, 2, 1, 3), (1, 0, 3, 2), (2, 3, 0, 1)]


def swapped(tokens, masks, suits, columns):
    """Observations and masks of the same games with suits and columns called otherwise: k becomes ``suits[k]``."""
    cards = np.array([13 * suits[card // 13] + card % 13 for card in range(52)])
    swapped_tokens = tokens.copy()
    in_column = tokens[:, :52] >= 48
    column, place = np.divmod(tokens[:, :52].astype(int) - 48, 52)
    renamed = np.where(in_column, 48 + 52 * np.array(columns)[column] + place, tokens[:, :52])
    swapped_tokens[:, cards] = renamed
    swapped_tokens[:, 58 + np.array(suits)] = tokens[:, 58:62]
    actions = np.zeros(261, int)
    for card, dest in itertools.product(range(52), range(5)):
        actions[1 + 5 * card + dest] = 1 + 5 * cards[card] + (columns[dest - 1] + 1 if dest else 0)
    swapped_masks = np.zeros_like(masks)
    swapped_masks[:, actions] = masks
    return swapped_tokens, swapped_masks, actions


@pytest.mark.parametrize("suits", SUIT_ORDERS)
@pytest.mark.parametrize("columns", [(0, 1, 2, 3), (2, 0, 3, 1)])
@pytest.mark.parametrize(
    "options",
    [{}, {"move_width": 8}, {"reach": True}, {"rounds": 2}, LARGE, {"ahead": True}, {"afterstates": True}, WHOLE],
)
def test_the_card_network_is_the_same_for_all_suits_of_a_colour_colours_and_columns(suits, columns, options):
    torch.manual_seed(0)
    network = CardNetwork(16, 32, **options)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.1 if options == {"rounds": 2} else 0.2)
    tokens, masks = positions(60, stock="auto")
    other_tokens, other_masks, actions = swapped(tokens, masks, suits, columns)
    with torch.no_grad():
        logits, values = network(torch.from_numpy(tokens), torch.from_numpy(masks))
        other_logits, other_values = network(torch.from_numpy(other_tokens), torch.from_numpy(other_masks))
    torch.testing.assert_close(other_values, values, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(other_logits[:, actions], logits, rtol=1e-4, atol=1e-4)
    assert values.std() > 0.01
    assert masks.sum() > 100


def test_moves_that_are_compared_are_scored_by_what_else_there_is():
    torch.manual_seed(0)
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    fewer = masks.clone()
    fewer.scatter_(1, masks.int().argmax(1, keepdim=True), False)
    fewer[fewer.sum(1) == 0] = masks[fewer.sum(1) == 0]
    for move_width, compares in ((0, False), (8, True)):
        network = CardNetwork(16, 32, move_width)
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter, std=0.2)
        with torch.no_grad():
            scores, others = (network(tokens, these)[0][fewer] for these in (masks, fewer))
        assert torch.allclose(scores, others, atol=1e-5) != compares


def test_the_groups_are_the_cards_of_which_what_makes_them_holds():
    tokens, _ = positions(60, stock="auto")
    seen = features.read(torch.from_numpy(tokens))
    groups = features.groups_of(seen).numpy()
    own = around(seen, 0)
    for number, names in enumerate(features.GROUPS):
        held = sum(own[:, :, features.CARD_FEATURES.index(name)] for name in names)
        np.testing.assert_array_equal(groups[:, number], held)
        assert set(np.unique(groups[:, number])) == {0, 1}
    assert (groups[:, 0].sum(1) <= 4).all()
    assert (groups[:, 1].sum(1) <= 1).all()


def test_with_groups_the_cards_are_told_about_those_in_them():
    tokens, masks = map(torch.from_numpy, positions(30, stock="auto"))
    groups = features.groups_of(features.read(tokens))
    network = CardNetwork(16, 32, rounds=2, groups=True)
    told = []
    for each in network.rounds:
        each.register_forward_pre_hook(lambda _, inputs: told.append(inputs))
    network(tokens, masks)
    for cards, context, _ in told:
        torch.testing.assert_close(context, torch.cat([cards.mean(1), (groups @ cards).flatten(1) / 4], 1))
    assert len(told) == 2
