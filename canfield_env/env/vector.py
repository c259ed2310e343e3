"""``Canfield-v0`` as a native vector environment: many games stepped at once by compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from canfield_env.engine import layout as at
from canfield_env.engine.batch import Batch, Rows, Told
from canfield_env.engine.entries import (
    CARDS_UP,
    ILLEGAL,
    MOVES,
    OUTCOME,
    REWARD,
    SCORE,
    STEPS,
    TERMINATED,
    TOTAL,
    TRUNCATED,
)
from canfield_env.engine.pack import unpack
from canfield_env.env.batched import check_actions, check_count, check_seeds
from canfield_env.env.frames import check_render_mode, render_view
from canfield_env.env.observations import Form, observation_space
from canfield_env.env.options import EnvOptions, Illegal, Reward, Stock, check_mapping
from canfield_env.errors import ConfigError, IllegalMoveError
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

Observations = NDArray[np.float32] | NDArray[np.uint8]
Array = NDArray[Any]

_OUTCOMES = np.array(at.OUTCOMES)


class CanfieldVectorEnv(VectorEnv[Observations, NDArray[np.int64], Array]):
    """N games of Canfield side by side: what ``gymnasium.make_vec("Canfield-v0", num_envs=N)`` gives.

    Game i, seeded with s, plays exactly what ``CanfieldEnv`` plays that is seeded with ``s + i``; see there for
    everything that is not said here.

    ## Step and reset
    Actions are ``int[N]``; observations ``float32[N, 738]`` or ``uint8[N, 62]``; rewards ``float64[N]``; terminations
    and truncations ``bool[N]``. Every array is fresh. An action that is masked in one game is left unplayed there
    (``illegal="noop"``), or ``IllegalMoveError`` names the game and the reason and no game has moved
    (``illegal="raise"``).

    ## Autoreset
    ``autoreset_mode``, also in ``metadata``, is Gymnasium's. ``NEXT_STEP`` (default): the step after an end ignores the
    game's action, deals anew and gives a reward of 0. ``SAME_STEP``: an ended game is dealt anew at once; its last
    observation is in ``info["final_obs"]`` and its last info in ``info["final_info"]``. ``DISABLED``: ended games are
    reset by ``reset(options={"reset_mask": ...})`` before the next step.

    ## Options of ``reset``
    ``deal``, ``deck``, ``position`` and ``draw`` as in ``CanfieldEnv``, for all games alike or as a list with one for
    each, where None stands for a random deal; and ``reset_mask``, ``bool[N]``: only these games are reset, and the seed
    and the options are for them only.

    ## Info
    The keys of ``CanfieldEnv``, each an array over the games: ``action_mask`` (``int8[N, 261]``), ``deal`` (text, empty
    where a game has no code), ``score``, ``cards_up``, ``moves`` (``int64[N]``), ``won``, ``illegal`` (``bool[N]``),
    ``episode_return`` (``float64[N]``) and ``episode_length`` (``int64[N]``) of the episode so far; and, if any episode
    has ended, ``outcome``. ``_key`` is a ``bool[N]`` that says for which games ``key`` was given, as Gymnasium has it.

    ## Arguments
    * ``num_envs``: number of games.
    * ``autoreset_mode``: an ``AutoresetMode``, or its value, such as ``"SameStep"``.
    * ``threads``: worker threads that share the games out; worth while from some thousand games on.
    * ``render_mode``: ``"ansi"`` or ``"rgb_array"``; ``render`` returns one frame for each game.
    * all others: as in ``CanfieldEnv``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = "app",
        *,
        draw: int = 3,
        stock: Stock = "turn",
        observation: Form = "planes",
        reward: Reward = "foundation",
        illegal: Illegal = "noop",
        illegal_reward: float = -1.0,
        max_steps: int | None = 2000,
        max_idle: int | Literal["default"] | None = "default",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        self.closed = True  # older releases of Gymnasium close what is deleted, even if a bad argument stopped it here
        self.options = EnvOptions.of(
            rules,
            draw=draw,
            stock=stock,
            observation=observation,
            reward=reward,
            illegal=illegal,
            illegal_reward=illegal_reward,
            max_steps=max_steps,
            max_idle=max_idle,
        )
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = [mode.value for mode in AutoresetMode]
            raise ConfigError(f"autoreset_mode must be one of {modes}, not {autoreset_mode!r}") from None
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.num_envs = check_count("num_envs", num_envs)
        self.single_action_space = gymnasium.spaces.Discrete(at.ACTIONS)
        self.single_observation_space = observation_space(observation)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._batch = Batch(num_envs, self.options.settings(), check_count("threads", threads))
        self.closed = False
        self._dtype = np.dtype(np.float32 if observation == "planes" else np.uint8)
        self._started = False  # whether reset has been called
        self._ended: Rows = np.empty(0, np.intp)  # the games whose end has been told and that are not yet dealt anew

    # ------------------------------------------------------------------ Gymnasium's interface

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Starts episodes in all games, or in those of ``options["reset_mask"]``.

        Args:
            seed: game i is seeded with ``seed + i``, or with ``seed[i]``; None goes on with its generator.
            options: see the class.

        Returns:
            The observations and the info of all games.

        Raises:
            ConfigError, DealError, NotationError: bad options or seeds; nothing has changed then.
            gymnasium.error.ResetNeeded: a ``reset_mask`` before the first reset.
        """
        check_mapping(options)
        options = dict(options or {})
        rows = self._rows_to_reset(options.pop("reset_mask", None))
        starts = self.options.read_starts(options, rows.tolist(), self.num_envs)
        seeds = check_seeds(seed, self.num_envs)
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._started:
            assert self.np_random_seed is not None
            seeds = [self.np_random_seed + i for i in range(self.num_envs)]
        self._batch.begin(rows, seeds, starts)
        self._started = True
        self._ended = np.setdiff1d(self._ended, rows)
        told = self._batch.tell()
        return told.observations.view(self._dtype), self._info(told)

    def step(self, actions: Any) -> tuple[Observations, Array, Array, Array, dict[str, Any]]:
        """Plays an action in every game.

        Returns:
            Observations, rewards, terminations, truncations, info.

        Raises:
            NotationError: the actions are not N whole numbers from 0 to 260.
            IllegalMoveError: an action is masked and ``illegal="raise"``, or, with ``autoreset_mode="Disabled"``, an
                episode is over. No game has moved.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if not self._started:
            raise gymnasium.error.ResetNeeded("step before reset")
        to_deal = self._ended
        if len(to_deal) and self.autoreset_mode == AutoresetMode.DISABLED:
            raise IllegalMoveError(
                f"game {to_deal[0]}: the episode is over; reset it with options={{'reset_mask': ...}}"
            )
        told = self._batch.step(check_actions(self._batch, self.options, actions))
        ended = told.ended
        final: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            to_deal = ended
            if len(ended):
                final = self._final(told, ended)
                told.flags[ILLEGAL, ended] = False
        else:
            self._ended = ended
        if len(to_deal):
            self._batch.deal(to_deal)
            self._batch.tell_again(to_deal, told)
        observations, rewards, flags = told.observations.view(self._dtype), told.rewards[REWARD], told.flags
        return observations, rewards, flags[TERMINATED], flags[TRUNCATED], self._info(told) | final

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, ``bool[N, 261]``."""
        return self._batch.masks()

    def render(self) -> tuple[Any, ...] | None:
        """The tables, one frame for each game: text (``"ansi"``), or pictures ``uint8[H, W, 3]`` (``"rgb_array"``)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: give one to gymnasium.make_vec")
            return None
        codes = self._batch.codes.tolist()
        return tuple(render_view(self.player_view(row), self.render_mode, code) for row, code in enumerate(codes))

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the worker threads."""
        self._batch.close()

    # ------------------------------------------------------------------ more than Gymnasium asks for

    def player_view(self, index: int) -> PlayerView:
        """What the player of a game knows now: all that an agent may be given besides observation and mask."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("there is no game before reset")
        return unpack(self._batch.games, index, self.options.rules).player_view()

    # ------------------------------------------------------------------ inside

    def _rows_to_reset(self, mask: Any) -> Rows:
        if mask is None:
            return np.arange(self.num_envs)
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise ConfigError(
                f"reset_mask must be a numpy array bool[{self.num_envs}] with at least one True, not {mask!r}"
            )
        if not self._started:
            raise gymnasium.error.ResetNeeded("the first reset is of all games, so without a reset_mask")
        return np.flatnonzero(mask)

    def _info(self, told: Told) -> dict[str, Any]:
        info = _arrays(told, self._batch.codes.copy())
        info |= dict.fromkeys([f"_{key}" for key in info], np.ones(self.num_envs, np.bool_))
        outcomes = told.facts[OUTCOME]
        if (over := outcomes != at.RUNNING).any():
            info |= {"outcome": _OUTCOMES[outcomes], "_outcome": over}
        return info

    def _final(self, told: Told, ended: Rows) -> dict[str, Any]:
        """``final_obs`` and ``final_info`` of the games that have ended."""
        final = told.take(ended)
        is_final = np.zeros(self.num_envs, np.bool_)
        is_final[ended] = True
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(ended.tolist(), final.observations.view(self._dtype), strict=True):
            observations[row] = observation
        info = {}
        outcomes = {"outcome": _OUTCOMES[final.facts[OUTCOME]]}
        for key, values in (_arrays(final, self._batch.codes[ended]) | outcomes).items():
            info[key] = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            info[key][ended] = values
            info[f"_{key}"] = is_final
        return {"final_obs": observations, "_final_obs": is_final, "final_info": info, "_final_info": is_final}


def _arrays(told: Told, codes: Array) -> dict[str, Array]:
    """The ``info`` of games but for the outcomes, without the arrays that say for which games it is given."""
    facts = told.facts
    return {
        "action_mask": told.masks,
        "deal": codes,
        "score": facts[SCORE],
        "cards_up": facts[CARDS_UP],
        "won": facts[OUTCOME] == at.WON,
        "moves": facts[MOVES],
        "illegal": told.flags[ILLEGAL],
        "episode_return": told.rewards[TOTAL],
        "episode_length": facts[STEPS],
    }
