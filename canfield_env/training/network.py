"""The networks: an observation and the moves that may be played in, a score for each move and a value out."""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from canfield_env.engine.layout import ACTIONS
from canfield_env.env.options import EnvOptions
from canfield_env.training import features
from canfield_env.training.afterstates import foresee
from canfield_env.training.config import CardNetworkSection, NetworkSection, Rewards
from canfield_env.training.features import COLUMNS, COUNTS
from canfield_env.training.links import find_links
from canfield_env.training.messages import Round
from canfield_env.training.prospects import KINDS, find_prospects

#: The score of a move that may not be played.
MASKED: Final = -1e8
#: Moves that are less likely than this by their scores are not scored by the positions after them. What is seen there
#: counts gradually more for likelier ones, and in full for those twice as likely.
LIKELY: Final = 0.04
#: What values are divided by where they become scores; as in ``configs/train/finetune-d3-study.toml``.
TEMPERATURE: Final = 0.06
#: The game that ``afterstates`` are of, with the foundation reward. The draw is the observation's.
_GAME: Final = EnvOptions.of("app", stock="auto")


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

    Each card is embedded from what holds of it, of the cards that it can be played with and of those next to it, and
    is then told by these how they are embedded (``messages``); each column from its cards; the table from both. A
    move's score comes from the card moved, where it comes from, where it goes, and the table; with ``move_width`` also
    from the card that it frees, and from all other moves. Only the moves in the mask are scored.

    Args:
        width: size of the embeddings of cards and columns.
        table_width: size of the table's embedding, and of the layers behind it.
        move_width: size of the moves' embeddings; 0 for none: each move is scored by itself.
        reach: whether cards are embedded also from what their leaving waste or stock changes there.
        rounds: how many rounds of messages follow upon that.
        groups: whether all cards are told in each round about those of ``features.GROUPS``, and not only what the cards
            are like on average.
        norm: whether the cards are normalised after each round.
        score_width: size of the two layers that a move is scored by; 0: one layer of half the table's size.
        ahead: whether a move is scored also from the cards that it makes a difference to, see ``prospects``. It begins
            without a say in the scores, so a network that has learned without it can go on with it.
        afterstates: whether moves that are likely by their scores are scored also by the positions that they lead to,
            as the network sees these (``_promises``). This begins without a say as well; or see ``follow_value``.
    """

    def __init__(
        self,
        width: int = 64,
        table_width: int = 128,
        move_width: int = 0,
        reach: bool = False,
        rounds: int = 0,
        groups: bool = False,
        norm: bool = False,
        score_width: int = 0,
        ahead: bool = False,
        afterstates: bool = False,
    ) -> None:
        super().__init__()
        context = width * (1 + len(features.GROUPS) * groups)
        self.ranks = nn.Embedding(13, width)
        self.cards = nn.Linear(features.AROUND + features.REACH * reach, width)
        self.rounds = nn.ModuleList(Round(width, context, norm=norm) for _ in range(rounds))
        self.columns = nn.Linear(2 * width, width)
        self.table = _layers(2 * width + features.SIZE + COUNTS, table_width)
        self.targets = nn.Embedding(2, width)  # the foundation; no column that the card comes from
        size = 2 * move_width if move_width else 3 * width + table_width
        sizes = [size, score_width, score_width] if score_width else [size, table_width // 2]
        score, value = nn.Linear(sizes[-1], 1), nn.Linear(table_width, 1)
        if move_width:
            self.each_move = _layers(4 * width + table_width, move_width)
        self.moves = nn.Sequential(*itertools.starmap(_layers, itertools.pairwise(sizes)), score)
        self.outlook = nn.Sequential(_layers(table_width, table_width), value)
        for layer in (score, value):
            nn.init.zeros_(layer.weight)  # at first all moves are as good, and all tables worth nothing
        self._compares, self._reach, self._groups, self._ahead = move_width > 0, reach, groups, ahead
        if ahead:
            self.ahead = nn.Linear(len(KINDS) * width, sizes[1], bias=False)
            nn.init.zeros_(self.ahead.weight)
        self._afterstates = afterstates
        if afterstates:
            self.gains = nn.Linear(3, 1, bias=False)
            self.promise = nn.Sequential(_layers(table_width, table_width), nn.Linear(table_width, 1))
            for parameter in (self.gains.weight, *self.promise[-1].parameters()):
                nn.init.zeros_(parameter)

    def forward(self, tokens: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Scores the moves in the masks; see ``Network.forward``: ``float32[N, 261]`` logits, ``float32[N]`` values."""
        seen = features.read(tokens, reach=self._reach)
        cards, columns, table = self._embed(tokens, seen)
        game, action = masks.nonzero(as_tuple=True)
        card, dest = (action - 1).clamp(min=0) // 5, (action - 1).clamp(min=0) % 5
        targets = torch.cat([self.targets.weight.expand(len(tokens), 2, -1), columns], 1)
        parts = [
            cards[game, card] * (action > 0).unsqueeze(1),
            targets[game, torch.where(dest > 0, dest + 1, 0)],
            targets[game, seen.column[game, card] + 2],
            table[game],
        ]
        if self._compares:
            freed = seen.beneath[game, card]
            parts.append(cards[game, freed.clamp(max=51)] * ((freed < 52) & (action > 0)).unsqueeze(1))
        moves = torch.cat(parts, 1)
        if self._compares:
            moves = _with_mean(self.each_move(moves), game, masks.sum(1))
        logits = torch.full((len(tokens), ACTIONS), MASKED, dtype=moves.dtype)
        if self._ahead:
            first = self.moves[0]
            assert isinstance(first, nn.Sequential)
            hidden = first[0](moves) + self.ahead(_changed(cards, tokens, masks))
            scores = self.moves[1:](first[1:](hidden))
        else:
            scores = self.moves(moves)
        logits[game, action] = scores.squeeze(1)
        if self._afterstates:
            logits = logits + self._promises(tokens, masks, torch.softmax(logits.detach(), 1))
        return logits, self.outlook(table).squeeze(1)

    def value(self, tokens: Tensor) -> Tensor:
        """The values alone, ``float32[N]``, of ``[N, 62]`` observations."""
        value: Tensor = self.outlook(self._embed(tokens, features.read(tokens, reach=self._reach))[2]).squeeze(1)
        return value

    def follow_value(self, rewards: Rewards, discount: float) -> None:
        """Lets moves be scored by what they bring and by the value of where they lead, with ``afterstates``.

        Args:
            rewards: what the value is the discounted sum of; their environment's reward is ``foundation``.
            discount: of a step.
        """
        self.promise.load_state_dict(self.outlook.state_dict())
        for parameter in self.promise[-1].parameters():
            parameter.data *= discount / TEMPERATURE
        brings = torch.tensor([rewards.reward_scale, rewards.reserve_reward, rewards.win_reward])
        self.gains.weight.data.copy_(brings / TEMPERATURE)

    def _promises(self, tokens: Tensor, masks: Tensor, likely: Tensor) -> Tensor:
        """By how much more the position after a move, and what the move brings, promise than those of the other moves
        that are looked at: those that are likely, where there are several. 0 for the rest.

        It is multiplied by a gate that opens gradually with how likely the move is, so that the scores have no jump
        where a move comes to be looked at. Gradients hold the gates as they are.

        Args:
            tokens: ``[N, 62]`` observations.
            masks: ``bool[N, 261]``.
            likely: ``float[N, 261]``, how likely the moves are without.

        Returns:
            ``float32[N, 261]``.
        """
        looked_at = masks & (likely >= LIKELY)
        looked_at &= looked_at.sum(1, keepdim=True) > 1
        promises = torch.zeros_like(likely)
        if not looked_at.any():
            return promises
        ahead = foresee(features.as_numbers(tokens), looked_at.numpy(), _GAME)
        after, move = torch.from_numpy(ahead.tokens), torch.from_numpy(ahead.move)
        brings = torch.from_numpy(np.stack([ahead.points, ahead.from_reserve, ahead.won], 1)).float()
        promise = self.promise(self._embed(after, features.read(after, reach=self._reach))[2]).squeeze(1)
        each = self.gains(brings).squeeze(1) + promise * ~torch.from_numpy(ahead.over)
        counts = torch.bincount(move)
        sums = torch.zeros(len(counts)).index_add(0, move, each)
        promises[looked_at] = sums / counts
        gates = (likely / LIKELY - 1).clamp(0, 1) * looked_at
        weights = likely * gates
        mean = (weights * promises).sum(1, keepdim=True) / weights.sum(1, keepdim=True).clamp(min=1e-6)
        return gates * (promises - mean)

    def _embed(self, tokens: Tensor, seen: features.Table) -> tuple[Tensor, Tensor, Tensor]:
        """``[N, 52, width]`` cards, ``[N, 4, width]`` columns, ``[N, table_width]`` table."""
        ranks = self.ranks.weight.repeat(4, 1)
        cards = torch.relu(self.cards(seen.cards) + ranks)
        if self.rounds:
            links = find_links(features.as_numbers(tokens))
            groups = features.groups_of(seen) / 4 if self._groups else None
            for each in self.rounds:
                context = cards.mean(1)
                if groups is not None:
                    context = torch.cat([context, (groups @ cards).flatten(1)], 1)
                cards = each(cards, context, links)
        sums = torch.cat([seen.columns / 4, seen.lasts], 1) @ cards
        columns = torch.relu(self.columns(torch.cat([sums[:, :COLUMNS], sums[:, COLUMNS:]], 2)))
        known = seen.cards[:, :, : features.SIZE].mean(1)
        table = self.table(torch.cat([cards.mean(1), columns.sum(1), known, seen.counts], 1))
        return cards, columns, table


def _changed(cards: Tensor, tokens: Tensor, masks: Tensor) -> Tensor:
    """``[M, len(KINDS) * width]``, the cards that each move makes a difference to: half their sums, by kind."""
    found = find_prospects(features.as_numbers(tokens), masks.numpy())
    which, starts = torch.from_numpy(found.cards), torch.from_numpy(found.starts)
    sums = nn.functional.embedding_bag(which, cards.flatten(0, 1), starts, mode="sum")
    return sums.reshape(-1, len(KINDS) * cards.shape[2]) / 2


def _with_mean(moves: Tensor, game: Tensor, counts: Tensor) -> Tensor:
    """``[M, 2 * width]``, each move with the mean of all moves of its game.

    Args:
        moves: ``[M, width]``.
        game: ``int64[M]``, which of the games each belongs to.
        counts: ``int64[N]``, how many moves each game has.
    """
    sums = torch.zeros(len(counts), moves.shape[1], dtype=moves.dtype).index_add(0, game, moves)
    means = sums / counts.clamp(min=1).unsqueeze(1)
    return torch.cat([moves, means[game]], 1)


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
        """Scores all moves at once; see ``Network.forward``: ``float32[N, 261]`` logits, ``float32[N]`` values."""
        hidden = self._hidden(tokens)
        return torch.where(masks, self.scores(hidden), MASKED), self.outlook(hidden).squeeze(1)

    def value(self, tokens: Tensor) -> Tensor:
        """The values alone, ``float32[N]``, of ``[N, 62]`` observations."""
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
        return CardNetwork(**section.model_dump(exclude={"kind"}))
    return FlatNetwork(section.width)
