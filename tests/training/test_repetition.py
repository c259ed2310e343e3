"""The masks narrowed against repetition: what a move leads to is foreseen from the observation alone."""

import copy

import numpy as np
import pytest

from canfield_env.env.single import CanfieldEnv
from canfield_env.training import repetition
from canfield_env.training.repetition import Memory

IDLE = 57


def random_positions(env, seed, steps):
    """Observations and masks on the way of random games."""
    rng = np.random.default_rng(seed)
    tokens, info = env.reset(seed=seed)
    for _ in range(steps):
        if "outcome" in info:
            tokens, info = env.reset()
        yield tokens, info["action_mask"]
        tokens, _, _, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))


@pytest.mark.parametrize(("rules", "draw"), [("app", 3), ("app", 1), ("hoyle", 3)])
@pytest.mark.parametrize("stock", ["turn", "auto"])
def test_a_move_is_foreseen_exactly_or_makes_progress(rules, draw, stock):
    env = CanfieldEnv(rules, draw=draw, stock=stock, observation="tokens", max_idle=None)
    foreseen = 0
    for tokens, mask in random_positions(env, seed=5, steps=150):
        for action in np.flatnonzero(mask):
            after = np.zeros_like(tokens)
            known = repetition._foresee(tokens, action, after)
            there, _, _, _, _ = copy.deepcopy(env).step(action)
            if known:
                foreseen += 1
                assert after[:52].tolist() == there[:52].tolist()
            else:
                assert action == 0 or there[IDLE] == 0
    assert foreseen > 50 or rules == "hoyle"  # where most columns move as a whole, and the reserve refills them


def test_the_narrowed_mask_is_a_part_of_the_mask_and_never_empty():
    memory = Memory()
    env = CanfieldEnv(stock="auto", observation="tokens")
    narrower = 0
    for tokens, mask in random_positions(env, seed=1, steps=400):
        narrowed = memory.narrow(tokens[None], mask[None])[0]
        assert narrowed.any()
        assert not (narrowed & (mask == 0)).any()
        narrower += narrowed.sum() < mask.sum()
    assert narrower > 20


def test_a_favourite_move_is_not_played_to_and_fro():
    """A player that takes the last move left visits new positions for as long as there are any."""
    env = CanfieldEnv(stock="auto", observation="tokens")
    tokens, info = env.reset(seed=3)
    memory = Memory()
    seen: list[bytes] = []
    while "outcome" not in info:
        if tokens[IDLE] == 0:
            seen.clear()
        seen.append(tokens[:52].tobytes())
        narrowed = memory.narrow(tokens[None].view(np.uint8), info["action_mask"][None])[0]
        visits = {}
        for action in np.flatnonzero(info["action_mask"]):
            there, _, _, _, _ = copy.deepcopy(env).step(action)
            visits[action] = 0 if there[IDLE] == 0 else seen.count(there[:52].tobytes())
        least = min(visits.values())
        assert set(np.flatnonzero(narrowed)) == {action for action, count in visits.items() if count == least}
        tokens, _, _, _, info = env.step(np.flatnonzero(narrowed)[-1])


def test_games_are_remembered_apart_and_can_be_named():
    env = CanfieldEnv(stock="auto", observation="tokens")
    positions = list(random_positions(env, seed=2, steps=60))
    other = list(random_positions(env, seed=9, steps=60))
    alone, together = Memory(), Memory(3)
    for (tokens, mask), (others, other_mask) in zip(positions, other, strict=True):
        expected = alone.narrow(tokens[None], mask[None])[0]
        both = together.narrow(np.stack([others, tokens]), np.stack([other_mask, mask]), np.array([2, 0]))
        assert (both[1] == expected).all()


def test_a_memory_goes_back_to_a_state():
    env = CanfieldEnv(stock="auto", observation="tokens")
    positions = list(random_positions(env, seed=4, steps=80))
    memory, second = Memory(), Memory()
    for tokens, mask in positions[:40]:
        memory.narrow(tokens[None], mask[None])
    second.restore(memory.state())
    for tokens, mask in positions[40:]:
        narrowed = [one.narrow(tokens[None], mask[None])[0] for one in (memory, second)]
        assert (narrowed[0] == narrowed[1]).all()
