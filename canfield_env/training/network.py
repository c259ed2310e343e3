"""The networks: an observation and the moves that may be played in, a score for each move and a value out."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from canfield_env.engine.layout import ACTIONS
from canfield_env.training import features
from canfield_env.training.config import CardNetworkSection, NetworkSection
from canfield_env.training.features import COLUMNS, COUNTS

#: The score of a move that may not be played.
MASKED: Final = -1e8


class Network(nn.Module):
    """What every network is called with and gives.

    Attributes:
        outlook: the layers that only the value has.
    """

    outlook: nn.Module

    def forward(self, tokens: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Scores moves.

        Args:
            tokens: ``[N, 62]`` observations.
            masks: ``bool[N, 261]``.

        Returns:
            ``float[N, 261]`` logits, ``MASKED`` where the mask is false; ``float[N]`` values.
        """
        raise NotImplementedError

    def value(self, tokens: Tensor) -> Tensor:
        """The values alone, ``float[N]``."""
        raise NotImplementedError


class CardNetwork(Network):
    """The same weights for every card, suit, column and move, so that what is learned of one holds for all.

    Each card is embedded from what holds of it, of the cards that it can be played with and of those next to it; each
    column from its cards; the table from both. A move's score comes from the card moved, where it comes from, where it
    goes, and the table. Only the moves in the mask are scored.

    Args:
        width: size of the embeddings.
        table_width: size of the table's embedding, and of the layers behind it.
    """

    def __init__(self, width: int = 64, table_width: int = 128) -> None:
        super().__init__()
        self.ranks = nn.Embedding(13, width)
        self.cards = nn.Linear(features.AROUND, width)
        self.columns = nn.Linear(2 * width, width)
        self.table = _layers(2 * width + features.SIZE + COUNTS, table_width)
        self.targets = nn.Embedding(2, width)  # the foundation; no column that the card comes from
        score, value = nn.Linear(table_width // 2, 1), nn.Linear(table_width, 1)
        self.moves = nn.Sequential(_layers(3 * width + table_width, table_width // 2), score)
        self.outlook = nn.Sequential(_layers(table_width, table_width), value)
        for layer in (score, value):
            nn.init.zeros_(layer.weight)  # at first all moves are as good, and all tables worth nothing

    def forward(self, tokens: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        cards, columns, table, from_column = self._embed(tokens)
        game, action = masks.nonzero(as_tuple=True)
        card, dest = (action - 1).clamp(min=0) // 5, (action - 1).clamp(min=0) % 5
        targets = torch.cat([self.targets.weight.expand(len(tokens), 2, -1), columns], 1)
        moves = torch.cat(
            [
                cards[game, card] * (action > 0).unsqueeze(1),
                targets[game, torch.where(dest > 0, dest + 1, 0)],
                targets[game, from_column[game, card] + 2],
                table[game],
            ],
            dim=1,
        )
        logits = torch.full((len(tokens), ACTIONS), MASKED, dtype=moves.dtype)
        logits[game, action] = self.moves(moves).squeeze(1)
        return logits, self.outlook(table).squeeze(1)

    def value(self, tokens: Tensor) -> Tensor:
        value: Tensor = self.outlook(self._embed(tokens)[2]).squeeze(1)
        return value

    def _embed(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """``[N, 52, width]`` cards, ``[N, 4, width]`` columns, ``[N, table_width]`` table, and each card's column."""
        seen = features.read(tokens)
        ranks = self.ranks.weight.repeat(4, 1)
        cards = torch.relu(self.cards(seen.cards) + ranks)
        sums = torch.cat([seen.columns / 4, seen.lasts], 1) @ cards
        columns = torch.relu(self.columns(torch.cat([sums[:, :COLUMNS], sums[:, COLUMNS:]], 2)))
        known = seen.cards[:, :, : features.SIZE].mean(1)
        table = self.table(torch.cat([cards.mean(1), columns.sum(1), known, seen.counts], 1))
        return cards, columns, table, seen.column


def _layers(size: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, width), nn.ReLU())


class FlatNetwork(Network):
    """The baseline: layers over everything side by side, each card, suit and column with weights of its own.

    Args:
        width: size of the two hidden layers.
    """

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        size = 52 * (features.SIZE + COLUMNS) + COUNTS
        self.body = nn.Sequential(_layers(size, width), _layers(width, width))
        self.scores = nn.Linear(width, ACTIONS)
        self.outlook = nn.Linear(width, 1)

    def forward(self, tokens: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self._hidden(tokens)
        return torch.where(masks, self.scores(hidden), MASKED), self.outlook(hidden).squeeze(1)

    def value(self, tokens: Tensor) -> Tensor:
        value: Tensor = self.outlook(self._hidden(tokens)).squeeze(1)
        return value

    def _hidden(self, tokens: Tensor) -> Tensor:
        seen = features.read(tokens)
        known = seen.cards[:, :, : features.SIZE].flatten(1)
        hidden: Tensor = self.body(torch.cat([known, seen.columns.flatten(1), seen.counts], 1))
        return hidden


def make_network(section: NetworkSection) -> Network:
    """The network that a configuration describes, with random weights from torch's generator."""
    if isinstance(section, CardNetworkSection):
        return CardNetwork(section.width, section.table_width)
    return FlatNetwork(section.width)
