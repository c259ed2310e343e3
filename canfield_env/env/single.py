"""``Canfield-v0``: one game as a Gymnasium environment."""

from __future__ import annotations

from typing import Any, Literal, SupportsIndex, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from canfield_env.deals import Deal
from canfield_env.engine import layout as at
from canfield_env.engine import observe
from canfield_env.engine.batch import Batch
from canfield_env.engine.entries import step_one
from canfield_env.engine.pack import unpack
from canfield_env.env import actions
from canfield_env.env.frames import check_render_mode, render_view
from canfield_env.env.infos import game_info
from canfield_env.env.observations import Form, observation_space
from canfield_env.env.options import EnvOptions, Illegal, Reward, Stock
from canfield_env.errors import IllegalMoveError
from canfield_env.game import Game
from canfield_env.notation import Move
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

Observation = NDArray[np.float32] | NDArray[np.uint8]

_ONLY = np.zeros(1, np.intp)  # the game of a batch of one


class CanfieldEnv(gymnasium.Env[Observation, np.int64]):
    """Canfield Solitaire.

    ## Description
    The game of ``canfield_env.Game``: 52 cards are to be built up by suit on four foundations from a reserve of 13,
    four columns, and a stock that is turned three cards (or one) at a time without limit. The environment holds no rule
    of its own: the compiled engine plays, and is tested against the plain game step by step.

    ## Action space
    ``Discrete(261)``: ``0`` turns the stock; ``1 + 5*card`` moves ``card`` to its foundation and ``1 + 5*card + k``
    moves it, with the run on it, onto column ``k``; ``card = 13*suit + rank_above_base``. See
    ``canfield_env.env.actions``.
    The legal actions are ``info["action_mask"]`` (``int8[261]``) after every reset and step, and ``action_masks()``
    (``bool[261]``). After the end the mask is all ones.

    ## Observation space
    What a player who remembers every card seen may know, never more: ``float32[738]`` in [0, 1] (``"planes"``) or
    ``uint8[62]`` (``"tokens"``). See ``canfield_env.env.observations``.

    ## Rewards
    * ``"foundation"``: +5 the first time that each card reaches its foundation, 255 in a won game.
    * ``"score"``: the change of the app's score, +5 for each card that reaches a foundation, and again after it was
      taken back.
    * ``"win"``: 1 on winning.
    * ``"casino"``: the casino's bet in dollars, paid at the end: 5 for each card up, or 500 for all, less 50 for the
      deck.

    ## Start
    A random deal from the environment's own generator, never one of those kept for evaluation; or, by the options of
    ``reset``, ``{"deal": code}``, ``{"deck": text}`` or ``{"position": text}`` (the last two with ``"draw"``).

    ## End
    ``terminated``: the game is won, or dead: no turning of the stock brings up any other legal move. Whether it is dead
    can depend on stock cards not yet seen, but only where turning is all that the player can do anyway.
    ``truncated``: ``max_steps`` steps, or ``max_idle`` steps in a row in which no card left the reserve, the stock or
    the waste (turning is no such thing) and none reached its foundation for the first time.
    An episode that has no legal action from the start has a mask of ones, and its first step plays nothing and ends it.

    ## Info
    ``action_mask``; ``deal`` (game code, or None), ``score``, ``cards_up``, ``won``, ``moves`` (literal moves played,
    stock turns included), ``illegal`` (whether the action just given was masked), and at the end ``outcome``:
    ``"won"``, ``"dead"``, ``"idle"`` or ``"max_steps"``.

    ## Arguments
    * ``rules``: ``"app"``, ``"hoyle"``, a ``Rules`` value, or the path of a TOML file; at most four columns.
    * ``draw``: cards a turn of the stock brings, 3 or 1; a game code in the options of ``reset`` overrides it.
    * ``stock``: ``"turn"``: one action per turn. ``"auto"``: the first pass is made at reset, and from then on every
      card that turning would bring up is in play; the turns are made, and recorded, for the player.
    * ``observation``, ``reward``: as above.
    * ``illegal``: what a masked action does. ``"noop"``: nothing, for ``illegal_reward``, as an idle step; ``"raise"``:
      ``IllegalMoveError``.
    * ``max_steps`` (2000), ``max_idle`` (200, or 40 with ``stock="auto"``): None switches a limit off.
    * ``render_mode``: ``"ansi"`` returns the table as text, ``"human"`` prints it after every reset and step,
      ``"rgb_array"`` returns it as a picture.

    ## Version history
    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
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
        render_mode: str | None = None,
    ) -> None:
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
        self.action_space = cast("spaces.Space[np.int64]", spaces.Discrete(at.ACTIONS))
        self.observation_space = cast("spaces.Space[Observation]", observation_space(observation))
        self._batch = Batch(1, self.options.settings())
        self._bytes = observe.size(self._batch.settings)
        self._dtype = np.dtype(np.float32 if observation == "planes" else np.uint8)
        self._refuse = illegal == "raise"
        self._started = False  # whether reset has been called
        self._outcome = at.RUNNING
        self._over = False  # whether the end of the episode has been told
        self._start: Game | None = None  # where the episode started; None: on a random deal
        self._played: list[int] = []
        self._code: str | None = None

    # ------------------------------------------------------------------ Gymnasium's interface

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: seeds the generator that deals are drawn from.
            options: ``{"deal": code}``, ``{"deck": text}`` or ``{"position": text}``; without any, the next random
                deal.

        Returns:
            The first observation and info.

        Raises:
            ConfigError, DealError, NotationError: bad options; nothing has changed then.
        """
        start = self.options.read_start(options)
        super().reset(seed=seed)
        fresh = seed is not None or not self._started
        self._batch.begin(_ONLY, [self.np_random_seed if fresh else None], {} if start is None else {0: start})
        self._started, self._over = True, False
        self._start, self._played = start, []
        self._code = self._batch.codes.item() or None
        told = self._batch.tell()
        outcome, score, cards_up, moves, _ = told.facts[:, 0].tolist()
        self._outcome = outcome
        if self.render_mode == "human":
            self.render()
        info = game_info(told.masks[0], self._code, (outcome, score, cards_up, moves), illegal=False)
        return told.observations[0].view(self._dtype), info

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            NotationError: the action is no whole number from 0 to 260.
            IllegalMoveError: the episode is over, or the action is masked and ``illegal="raise"``. Nothing has changed.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        number = actions.check_action(action)
        if not self._started:
            raise gymnasium.error.ResetNeeded("step before reset")
        if self._over:
            raise IllegalMoveError(self._refusal(number))
        observation, mask = np.empty(self._bytes, np.uint8), np.empty(at.ACTIONS, np.int8)
        reward, legal, outcome, score, cards_up, moves = step_one(
            self._batch.games, self._batch.settings, number, self._refuse, observation, mask
        )
        if not legal and self._refuse:
            raise IllegalMoveError(self._refusal(number))
        if legal and self._outcome == at.RUNNING:
            self._played.append(number)
        self._outcome = outcome
        self._over = over = outcome != at.RUNNING
        terminated = outcome == at.WON or outcome == at.DEAD
        if self.render_mode == "human":
            self.render()
        info = game_info(mask, self._code, (outcome, score, cards_up, moves), illegal=not legal)
        return observation.view(self._dtype), reward, terminated, over and not terminated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, ``bool[261]``: the name under which sb3-contrib asks for them."""
        masks: NDArray[np.bool_] = self._batch.masks()[0]
        return masks

    def render(self) -> Any:
        """The table: text (``"ansi"``), a picture ``uint8[H, W, 3]`` (``"rgb_array"``), or printed (``"human"``)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: give one to gymnasium.make")
            return None
        frame = render_view(self.player_view(), self.render_mode, self._code)
        if self.render_mode == "human":
            print(frame)
            return None
        return frame

    # ------------------------------------------------------------------ more than Gymnasium asks for

    def player_view(self) -> PlayerView:
        """What the player knows now: all that an agent may be given besides observation and mask."""
        return self._unpack().player_view()

    def _repr_html_(self) -> str | None:
        """The table, as notebooks show it; None before the first reset."""
        from canfield_env.render.svg import render_svg

        return render_svg(self.player_view(), self._code or "") if self._started else None

    @property
    def game(self) -> Game:
        """The episode as a plain game, with all literal moves since its start: for records, never for agents.

        It is replayed from the start of the episode, so it costs some milliseconds.
        """
        game = self._first_game()
        for action in self._played:
            self._play_plain(game, action)
        return game

    def action_to_move(self, action: SupportsIndex) -> Move:
        """The move of an action that is legal now.

        With ``stock="auto"`` a stock or waste card is played as the top of the waste, after the turns that bring it up.

        Raises:
            NotationError: the action is no whole number from 0 to 260.
            IllegalMoveError: the action is masked; the text gives the reason.
        """
        number = actions.check_action(action)
        if self._batch.find_refused(np.array([number]), masked=True) == 0 or self._outcome != at.RUNNING:
            raise IllegalMoveError(self._refusal(number))
        return actions.decode(self._unpack().full_position(), number, self.options.rules.ranks)

    def move_to_action(self, move: Move | str) -> int:
        """The action of a move that is legal now, given as a move or a token.

        Raises:
            NotationError: the text is no token.
            IllegalMoveError: the move is not legal now; the text gives the reason.
        """
        game = self._unpack()
        move = game.verify(move)
        if self.options.stock == "auto" and move.source == "D":
            raise IllegalMoveError(f"D: {actions.TURNED_BY_ITSELF}")
        return actions.encode(game.full_position(), move, self.options.rules.ranks)

    # ------------------------------------------------------------------ inside

    def _unpack(self) -> Game:
        if not self._started:
            raise gymnasium.error.ResetNeeded("there is no game before reset")
        return unpack(self._batch.games, 0, self.options.rules)

    def _refusal(self, action: int) -> str:
        """Why an action is masked, as far as the player may know."""
        if self._outcome != at.RUNNING:
            return f"action {action}: the episode is over ({at.OUTCOMES[self._outcome]}); call reset"
        return actions.refusal(self._unpack(), action, auto_stock=self.options.stock == "auto")

    def _first_game(self) -> Game:
        """The plain game as the episode started it, the first pass of ``stock="auto"`` made."""
        if self._start is not None:
            game = self._start.copy()
        else:
            first, rules = self._unpack(), self.options.rules
            game = Game(Deal.from_number(int(self._batch.games["deal"][0]), first.draw, rules.ranks), rules)
        if self.options.stock == "auto" and game.redeals == 0:
            while game.stock:
                game.push("D")
        return game

    def _play_plain(self, game: Game, action: int) -> None:
        """Plays an action in a plain game, with the stock turns that ``stock="auto"`` makes for the player."""
        ranks = self.options.rules.ranks
        move = actions.decode(game.full_position(), action, ranks)
        if move.source == "W":
            actions.turn_up(game, actions.card_of(action, game.base, ranks))
        game.push(move)
