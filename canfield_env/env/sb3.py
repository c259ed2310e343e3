"""``Canfield-v0`` for stable-baselines3: a native ``VecEnv``, with no object and no process for each game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from canfield_env.engine import layout as at
from canfield_env.engine.batch import Batch, Told
from canfield_env.engine.entries import ILLEGAL, REWARD, STEPS, TERMINATED, TOTAL, TRUNCATED
from canfield_env.engine.pack import unpack
from canfield_env.env.batched import check_actions, check_count, check_seeds
from canfield_env.env.frames import check_render_mode, render_view
from canfield_env.env.infos import game_info
from canfield_env.env.observations import observation_space
from canfield_env.env.options import EnvOptions
from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.view import PlayerView


class CanfieldVecEnv(VecEnv):
    """N games of Canfield side by side, for stable-baselines3 and sb3-contrib's ``MaskablePPO``.

    Game i, seeded with s, plays exactly what a ``CanfieldEnv`` plays that is seeded with ``s + i``, so the rollouts are
    those of ``make_vec_env("Canfield-v0", n_envs=N, seed=s)``. See ``CanfieldEnv`` for games, spaces and rewards.

    The infos of a step hold ``TimeLimit.truncated`` and ``illegal``; where an episode has ended also
    ``terminal_observation``, ``episode`` (``r`` return, ``l`` length, ``t`` seconds since the environment was made),
    ``is_success`` (won), and all that the info of ``CanfieldEnv`` has at the end of an episode. The infos of the last
    resets are in ``reset_infos``.

    Args:
        num_envs: number of games.
        rules: as in ``CanfieldEnv``.
        threads: worker threads that share the games out; worth while from some thousand games on.
        render_mode: ``"ansi"`` or ``"rgb_array"``.
        options: the other arguments of ``CanfieldEnv``.

    Raises:
        ConfigError, DealError: a bad argument.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = "app",
        *,
        threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        try:
            self.options = EnvOptions.of(rules, **options)
        except TypeError as error:
            raise ConfigError(f"CanfieldVecEnv: {error}") from None
        self.render_mode = check_render_mode(render_mode, ("ansi", "rgb_array"))
        count = check_count("num_envs", num_envs)
        self._batch = self._make_batch(count, check_count("threads", threads))
        space = observation_space(self.options.observation)
        self._dtype = space.dtype
        super().__init__(count, space, gymnasium.spaces.Discrete(at.ACTIONS))
        self._started = False
        self._begun = time.time()
        self._actions = np.zeros(count, np.int64)
        self._masks = np.ones((count, at.ACTIONS), np.int8)

    def _make_batch(self, count: int, threads: int) -> Batch:
        """The games; those of a subclass may start elsewhere."""
        return Batch(count, self.options.settings(), threads)

    # ------------------------------------------------------------------ stable-baselines3's interface

    def reset(self) -> NDArray[Any]:
        """Starts an episode in every game, with what ``seed`` and ``set_options`` have been given, and returns the
        observations.

        Raises:
            ConfigError, DealError, NotationError: bad options or seeds; nothing has changed then.
        """
        options = self._options_by_game()
        starts = self.options.read_starts(options, range(self.num_envs), self.num_envs)
        seeds = check_seeds(self._seeds, self.num_envs)
        if not self._started:
            entropy = np.random.SeedSequence().generate_state(self.num_envs, np.uint64).tolist()
            seeds = [fresh if seed is None else seed for seed, fresh in zip(seeds, entropy, strict=True)]
        self._batch.begin(np.arange(self.num_envs), seeds, starts)
        self._started = True
        self._reset_seeds()
        self._reset_options()
        told = self._batch.tell()
        self._masks = told.masks
        self._note_resets(range(self.num_envs), told)
        return told.observations.view(self._dtype)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions that ``step_wait`` plays.

        Raises:
            NotationError: they are not N whole numbers from 0 to 260.
            IllegalMoveError: one is masked and ``illegal="raise"``. No game has moved.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if not self._started:
            raise gymnasium.error.ResetNeeded("step before reset")
        self._actions = check_actions(self._batch, self.options, actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions, and deals the games that have ended anew.

        Returns:
            Observations, rewards (``float32[N]``), dones (``bool[N]``), infos.
        """
        told = self._batch.step(self._actions)
        dones = told.flags[TERMINATED] | told.flags[TRUNCATED]
        infos: list[dict[str, Any]] = [
            {"TimeLimit.truncated": False, "illegal": illegal} for illegal in told.flags[ILLEGAL].tolist()
        ]
        ended = told.ended
        if len(ended):
            self._end(told.take(ended), ended.tolist(), infos)
            self._batch.deal(ended)
            self._batch.tell_again(ended, told)
            self._note_resets(ended.tolist(), told)
        self._masks = told.masks
        return told.observations.view(self._dtype), told.rewards[REWARD].astype(np.float32), dones, infos

    def _end(self, final: Told, rows: list[int], infos: list[dict[str, Any]]) -> None:
        """Puts into the infos what is told of the games that have ended."""
        seconds = round(time.time() - self._begun, 6)
        observations = final.observations.view(self._dtype)
        for i, row in enumerate(rows):
            info = self._game_info(final, i, row) | {"TimeLimit.truncated": bool(final.flags[TRUNCATED, i])}
            info["terminal_observation"] = observations[i]
            info["is_success"] = info["won"]
            info["episode"] = {"r": float(final.rewards[TOTAL, i]), "l": int(final.facts[STEPS, i]), "t": seconds}
            infos[row] = info

    def _note_resets(self, rows: Sequence[int], told: Told) -> None:
        for row in rows:
            self.reset_infos[row] = self._game_info(told, row, row)

    def _game_info(self, told: Told, i: int, row: int) -> dict[str, Any]:
        """The info of game ``row``, of which ``told`` tells at index ``i``."""
        outcome, score, cards_up, moves, _ = told.facts[:, i].tolist()
        code = str(self._batch.codes[row]) or None
        return game_info(
            told.masks[i].copy(), code, (outcome, score, cards_up, moves), illegal=bool(told.flags[ILLEGAL, i])
        )

    def _options_by_game(self) -> dict[str, list[Any]]:
        """The options that ``set_options`` was given, one list for each key."""
        if len(self._options) != self.num_envs:
            raise ConfigError(f"set_options: {len(self._options)} options for {self.num_envs} games")
        keys = dict.fromkeys(key for options in self._options for key in options)
        return {key: [options.get(key) for options in self._options] for key in keys}

    def close(self) -> None:
        """Ends the worker threads."""
        self._batch.close()

    # ------------------------------------------------------------------ attributes and methods of the games

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, ``bool[N, 261]``."""
        return self._masks.astype(np.bool_)

    def player_view(self, index: int) -> PlayerView:
        """What the player of a game knows now: all that an agent may be given besides observation and mask."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("there is no game before reset")
        return unpack(self._batch.games, index, self.options.rules).player_view()

    def state(self) -> dict[str, Any]:
        """The state of all games and their generators, for ``restore``. Copies and pickles of the whole work too."""
        return self._batch.state() | {"started": self._started}

    def restore(self, state: dict[str, Any]) -> NDArray[Any]:
        """Goes back to what ``state`` gave, and returns the observations there."""
        self._batch.restore(state)
        self._started = state["started"]
        told = self._batch.tell()
        self._masks = told.masks
        return told.observations.view(self._dtype)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """What a method of the games returns: ``action_masks``, ``player_view`` or ``render``.

        The masks of all games come as one element, ``[bool[N, 261]]``: sb3-contrib stacks and reshapes them at every
        step, and copying N rows for that costs more than playing them.
        """
        rows = list(self._get_indices(indices))
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks] if indices is None else [masks[row] for row in rows]
        if method_name == "player_view":
            return [self.player_view(row) for row in rows]
        if method_name == "render" and self.render_mode is not None:
            codes = self._batch.codes.tolist()
            return [render_view(self.player_view(row), self.render_mode, codes[row]) for row in rows]
        raise AttributeError(f"CanfieldVecEnv: the games have no method {method_name!r}")

    def get_images(self) -> list[Any]:
        """A picture of each game, ``uint8[H, W, 3]``."""
        return self.env_method("render")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the games, which is one of the batch's, once for each game asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not supported: the games share what they are made with."""
        raise AttributeError(f"CanfieldVecEnv: {attr_name!r} cannot be set; make a new environment")

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Whether the games count as wrapped: as in a ``Monitor``, since the infos hold ``episode``."""
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]
