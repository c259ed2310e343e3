"""That a network in several threads is the same network."""

import pytest
import torch
from torch.testing import assert_close

from canfield_env.training.network import CardNetwork, FlatNetwork
from canfield_env.training.threads import in_threads
from tests.training.training_helpers import positions

NETWORKS = [
    pytest.param(lambda: CardNetwork(8, 16, reach=True, rounds=1, groups=True, norm=True, score_width=8), id="cards"),
    pytest.param(lambda: CardNetwork(8, 16, ahead=True, afterstates=True), id="afterstates"),
    pytest.param(lambda: FlatNetwork(16), id="flat"),
]


def example(count):
    tokens, masks = positions(count, stock="auto")
    return torch.from_numpy(tokens), torch.from_numpy(masks)


def lively(make):
    """A network whose scores and values are not all the same, as they are at first."""
    torch.manual_seed(3)
    network = make()
    for values in network.parameters():
        torch.nn.init.normal_(values, std=0.3)
    return network


def gradients(network, score, data):
    """Those of a loss that both logits and values are in."""
    network.zero_grad()
    logits, values = score(*data)
    (logits.clamp(min=-20).logsumexp(1).sum() + values.square().sum()).backward()
    return [values.grad for values in network.parameters()]


@pytest.mark.parametrize("make", NETWORKS)
@pytest.mark.parametrize(("games", "threads"), [(37, 2), (37, 3), (2, 3), (1, 2)])
def test_logits_values_and_gradients_are_those_of_the_network(make, games, threads):
    network, data = lively(make), example(games)
    score = in_threads(network, threads)
    for ours, theirs in zip(score(*data), network(*data), strict=True):
        assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(gradients(network, score, data), gradients(network, network, data), strict=True):
        assert theirs is None or theirs.abs().max() == 0 or (ours - theirs).norm() <= 1e-4 * theirs.norm() + 1e-4


def test_the_same_again_is_the_same_to_the_last_bit():
    network, data = lively(NETWORKS[0].values[0]), example(40)
    score = in_threads(network, 3)
    first, second = gradients(network, score, data), gradients(network, score, data)
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("make", NETWORKS)
def test_only_what_is_learned_has_gradients(make):
    network, data = lively(make), example(20)
    network.requires_grad_(False)
    head = network.outlook
    head.requires_grad_(True)
    score = in_threads(network, 2)
    ours = gradients(network, score, data)
    assert_close([each for each in ours if each is not None], [each.grad for each in head.parameters()])
    assert all(each.grad.abs().sum() > 0 for each in list(head.parameters())[-2:])


def test_without_gradients_nothing_is_kept_for_them():
    network, data = lively(NETWORKS[0].values[0]), example(20)
    score = in_threads(network, 2)
    with torch.no_grad():
        assert not any(each.requires_grad for each in score(*data))
    with torch.inference_mode():
        assert_close(score(*data), network(*data), rtol=1e-4, atol=1e-5)
    assert all(each.requires_grad for each in score(*data))


def test_one_thread_is_the_network_itself():
    network = FlatNetwork(16)
    assert in_threads(network, 1) is network
