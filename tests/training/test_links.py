"""Which cards have to do with which, and the messages between them."""

from itertools import groupby

import numpy as np
import pytest
import torch

from canfield_env.training import features
from canfield_env.training.features import AROUND, SIZE
from canfield_env.training.links import KINDS, PLACED, RELATIONS, find_links, find_reach
from canfield_env.training.messages import Round
from tests.training.training_helpers import positions

WASTE, STOCK, DRAW = 52 + 2, 52 + 1, 52 + 3


def cards_of(bits):
    return {card for card in range(52) if int(bits) >> card & 1}


def brought_up(waste, stock, draw):
    """The cards that come up on the waste in a whole pass and the next one, by turning; and the piles at each."""
    found: dict[int | str, tuple[list[int | str], list[int | str]]] = {}
    for _ in range(2 * len(waste + stock) + 2):
        if waste:
            found.setdefault(waste[-1], (waste, stock))
        if stock:
            waste, stock = waste + stock[:draw], stock[draw:]
        else:
            waste, stock = [], waste
    return found


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("stock", ["auto", "turn"])
def test_what_comes_in_reach_and_goes_out_of_it_is_what_turning_brings_up(draw, stock):
    tokens, _ = positions(150, stock=stock, draw=draw)
    changes = 0
    for seen in tokens:
        opened, closed = np.empty((2, 52), np.int64)
        find_reach(seen, opened, closed)
        order: list[int | str] = [f"hidden {place}" for place in range(int(seen[WASTE]) + int(seen[STOCK]))]
        for card in range(52):
            if 3 <= seen[card] < 48:
                order[seen[card] - 3] = card
        now = brought_up(order[: seen[WASTE]], order[seen[WASTE] :], int(seen[DRAW]))
        for card in range(52):
            more, less = cards_of(opened[card]), cards_of(closed[card])
            if card not in now:
                assert more | less == set()
                continue
            waste, rest = now[card]
            then = brought_up(waste[:-1], rest, int(seen[DRAW]))
            assert more == {other for other in then.keys() - now.keys() if isinstance(other, int)}
            assert less == {other for other in now.keys() - then.keys() - {card} if isinstance(other, int)}
            changes += len(more) + len(less)
    assert changes if draw == 3 else not changes


def told_by(links, game):
    """For each card, the pairs of another card and what that is to it."""
    here = slice(links.starts[game], links.starts[game + 1])
    found: dict[int, list[tuple[int, str]]] = {card: [] for card in range(52)}
    for card, kind, other in zip(links.cards[here], links.kinds[here], links.others[here], strict=True):
        found[card].append((other, PLACED[kind]))
    return found


def test_the_links_are_those_of_the_columns_the_order_of_play_and_the_reach():
    tokens, _ = positions(60, stock="auto")
    links = find_links(tokens)
    beneath = features.read(torch.from_numpy(tokens)).beneath.numpy()
    for game in range(0, 60, 7):
        opened, closed = np.empty((2, 52), np.int64)
        find_reach(tokens[game], opened, closed)
        told = told_by(links, game)
        for card in range(52):
            below = int(beneath[game, card])
            above = [other for other in range(52) if beneath[game, other] == card]
            on_top, top = [], card
            while tokens[game, card] >= 48 and (tops := [c for c in range(52) if beneath[game, c] == top]):
                on_top += tops
                top = tops[0]
            expected = []
            for others, kind in (
                ([below] if below < 52 else [], "directly beneath it"),
                (above, "directly on top of it, or next in the order of play"),
                (on_top, "anywhere on top of it in its column"),
                (cards_of(opened[card]), "comes in reach when it leaves waste or stock"),
                (cards_of(closed[card]), "goes out of reach then"),
            ):
                expected += [(other, kind) for other in sorted(others)]
            assert sorted(told[card]) == sorted(expected)
            kinds = [kind for _, kind in told[card]]
            assert len(list(groupby(kinds))) == len(set(kinds))  # those of a kind are next to each other
        for place, kind in enumerate(PLACED):
            assert links.counts[game, place] == sum(kind in dict(map(reversed, pairs)) for pairs in told.values())


def test_the_reach_as_the_network_reads_it():
    tokens, _ = positions(80, stock="auto")
    seen = torch.from_numpy(tokens)
    cards = features.read(seen, reach=True).cards.numpy()
    np.testing.assert_array_equal(cards[:, :, :AROUND], features.read(seen).cards.numpy())
    own = cards[:, :, :SIZE]
    goes_on = np.array(RELATIONS[3][1])
    fits = own[:, goes_on, features.CARD_FEATURES.index("last of a column")].sum(1)
    what = np.concatenate([own, fits[:, :, None]], 2) / 4
    for game in range(len(tokens)):
        opened, closed = np.empty((2, 52), np.int64)
        find_reach(tokens[game], opened, closed)
        for card in range(52):
            sums = [what[game, sorted(cards_of(bits))].sum(0) for bits in (opened[card], closed[card])]
            np.testing.assert_allclose(cards[game, card, AROUND:], np.concatenate(sums), atol=1e-5)


def plain_round(layer, cards, context, links):
    """What a round does, message by message."""
    count, _, width = cards.shape
    messages = (cards @ layer.messages.weight.t()).view(count, 52, len(KINDS), width)
    sums = layer.context(context)[:, None].expand(-1, 52, -1) + messages[:, :, 0]
    for kind, (_, members) in enumerate(RELATIONS, 1):
        for others in members:
            sums = sums + messages[:, others, kind]
    games = np.repeat(np.arange(count), np.diff(links.starts))
    ends = links.cards, links.kinds, links.others
    told, kinds, tellers = (torch.from_numpy(array.astype(np.int64)) for array in ends)
    sent = messages[games, tellers, len(KINDS) - len(PLACED) + kinds]
    sums = sums.index_put((torch.from_numpy(games), told), sent, True)
    return layer.norm(cards + torch.relu(sums))


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("count", [1, 33])  # one part, and a second one that is not full
def test_a_round_and_its_gradients_are_those_of_its_plain_form(count, norm):
    torch.manual_seed(0)
    layer = Round(8, 5, norm=norm)
    tokens, _ = positions(count, stock="auto")
    links = find_links(tokens)
    shapes = (count, 52, 8), (count, 5)
    weights = torch.randn(count, 52, 8)
    results = []
    for apply in (layer, lambda *inputs: plain_round(layer, *inputs)):
        generator = torch.Generator().manual_seed(1)
        cards, context = (torch.randn(*shape, generator=generator, requires_grad=True) for shape in shapes)
        layer.zero_grad(set_to_none=True)
        told = apply(cards, context, links)
        (told * weights).sum().backward()
        results.append([told.detach(), cards.grad, context.grad, *(values.grad for values in layer.parameters())])
    for made, plain in zip(*results, strict=True):
        torch.testing.assert_close(made, plain, rtol=1e-4, atol=1e-4)
        assert plain.abs().sum() > 0
