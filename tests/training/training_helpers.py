"""What the training tests share."""

import numpy as np
import torch
from numpy.typing import NDArray

from canfield_env.env.single import CanfieldEnv
from canfield_env.training.config import CardNetworkSection, Rewards, TrainingConfig
from canfield_env.training.model_file import Header, save_model
from canfield_env.training.network import make_network

TINY = """
[env]
count = 8

[algorithm]
rollout = 8
batch_size = 32
epochs = 1

[network]
kind = "cards"
width = 8
table_width = 16

[evaluation]
suite = "d3-validation"
deals = 4
every = 128

[run]
steps = 384
"""


def tiny_config(tmp_path, *settings):
    """A run of six updates."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return TrainingConfig.load(path, settings)


def positions(count, seed=0, **options):
    """Observations and masks, ``uint8[count, 62]`` and ``bool[count, 261]``, on the way of random games."""
    env = CanfieldEnv(observation="tokens", **options)
    rng = np.random.default_rng(seed)
    tokens, info = env.reset(seed=seed)
    found: list[tuple[NDArray[np.uint8], NDArray[np.bool_]]] = []
    while len(found) < count:
        found.append((tokens.view(np.uint8), info["action_mask"].astype(np.bool_)))
        tokens, _, _, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        if "outcome" in info:
            tokens, info = env.reset()
    return np.stack([tokens for tokens, _ in found]), np.stack([mask for _, mask in found])


def write_model(path, *, scores=0.3, network=(), **header):
    """A model that has learned nothing, but has its preferences, whose spread is ``scores``, and its value."""
    torch.manual_seed(2)
    section = CardNetworkSection(width=8, table_width=16, **dict(network))
    made = make_network(section)
    for name, parameter in made.named_parameters():
        torch.nn.init.normal_(parameter, std=scores if name.startswith("moves") else 0.3)
    about = {"rules": {}, "draw": 3, "stock": "auto", "network": section}
    value = {"rewards": Rewards(reserve_reward=0.1), "discount": 0.99}
    save_model(path, Header.model_validate(about | value | header), made)
    return path
