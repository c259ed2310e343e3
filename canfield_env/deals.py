"""Deals and their game codes: a frozen scheme, the same on every platform and in every release.

The code alphabet, the check symbol and the shuffle are versioned by the prefix ``CF1`` and never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from canfield_env.cards import Card, deck_fault, parse_cards
from canfield_env.errors import ConfigError, DealError, NotationError

if TYPE_CHECKING:
    import numpy as np

    from canfield_env.rules import Rules

#: The symbols of a code, by value 0 to 31.
ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
#: How many deals have a code.
DEAL_COUNT: Final = 2**30
#: Deal numbers below this one are kept for evaluation; random deals never have them.
FIRST_TRAINING_DEAL: Final = 2**20
#: The allowed numbers of cards that one turn of the stock brings.
DRAWS: Final = (1, 3)

# The plain c, d, h, s order but for nine cards, placed so that deal number 2 is the published deal CF1-D3-AAAAACL.
START_ORDER: Final[tuple[Card, ...]] = tuple(
    parse_cards(
        "Ac 2c 8h 3c 4c Js 5c 7c 8c Qh 9c Qc Tc Jc Kc Ad 2d 3d 4d 7h 5d 6d 7d 8d 9d Td "
        "Jd Qd Kd Ah 2h 6c 3h 4h 5h 6h Kh 9h Th Jh 2s 3s 4s 5s 6s Qs 7s As 8s 9s Ts Ks"
    )
)
_MASK64: Final = 2**64 - 1
#: States that the solver may look at for a random deal that is to be winnable: it decides 97 of 100 within them.
_MOST_STATES: Final = 100_000
#: Deals drawn for one that is to be winnable. Rules that let one deal in a hundred be won miss it once in 20,000 times.
_MOST_DRAWN: Final = 1_000


@dataclass(frozen=True, slots=True)
class Deal:
    """A shuffled deck and how many cards a turn of the stock brings.

    Attributes:
        deck: the cards in dealing order: reserve (its last card on top), base card, columns, stock (its first card
            is turned first).
        draw: cards a turn of the stock brings, 1 or 3.
        number: the deal number behind the code, or None where the deck was given.
    """

    deck: tuple[Card, ...]
    draw: int = 3
    number: int | None = None

    def __post_init__(self) -> None:
        check_draw(self.draw)

    @property
    def code(self) -> str | None:
        """The game code, such as ``CF1-D3-AAAAACL``, or None where the deck was given."""
        return None if self.number is None else encode_code(self.number, self.draw)

    @property
    def ranks(self) -> int:
        """Cards per suit: 13 but in miniature games."""
        return len(self.deck) // 4

    def __str__(self) -> str:
        return self.code or " ".join(self.deck)

    def _repr_html_(self) -> str | None:
        """The table as it is dealt, as notebooks show it."""
        from canfield_env.render.notebook import deal_html

        return deal_html(self)

    @classmethod
    def from_code(cls, code: str) -> Deal:
        """The deal that a game code names, read in any letter case.

        Raises:
            DealError: the text is no code; it says which letter is wrong, or that the code is mistyped.
        """
        return cls.from_number(*decode_code(code))

    @classmethod
    def from_number(cls, number: int, draw: int = 3, ranks: int = 13) -> Deal:
        """The deal with that number, 0 to 2^30 - 1; a miniature one, of fewer ranks, has no code.

        Raises:
            DealError: the number, the draw count or the number of ranks is out of range.
        """
        check_number(number)
        check_draw(draw)
        check_ranks(ranks)
        order = [card for card in START_ORDER if card.rank < ranks]
        return cls(tuple(shuffled(order, number)), draw, int(number) if ranks == 13 else None)

    @classmethod
    def from_deck(cls, deck: str | Sequence[Card | str], draw: int = 3, ranks: int = 13) -> Deal:
        """A deal with the deck given in dealing order, as text or as a sequence; it has no code.

        Args:
            deck: ``4 * ranks`` cards.
            draw: cards a turn of the stock brings, 1 or 3.
            ranks: cards per suit; fewer than 13 for miniature games.

        Raises:
            DealError: the deck is no whole deck (which card is missing or double), or the draw count or the number of
                ranks is out of range.
        """
        check_ranks(ranks)
        if not isinstance(deck, Sequence):
            raise DealError(f"a deck is text or a sequence of cards, not {deck!r}")
        try:
            cards = parse_cards(deck) if isinstance(deck, str) else [Card(card) for card in deck]
        except NotationError as error:
            raise DealError(f"deck: {error}") from error
        if fault := deck_fault(cards, ranks):
            raise DealError(f"deck of {len(cards)} cards: {fault}")
        return cls(tuple(cards), draw)

    @classmethod
    def random(
        cls,
        rng: np.random.Generator | int | None = None,
        draw: int = 3,
        ranks: int = 13,
        *,
        winnable: bool = False,
        rules: Rules | str = "app",
    ) -> Deal:
        """A random deal, never one of those kept for evaluation.

        Args:
            rng: a numpy generator, a seed for one, or None for a fresh one.
            draw: cards a turn of the stock brings, 1 or 3.
            ranks: fewer than 13 gives a miniature deal, which has no code.
            winnable: draw until the solver proves a deal winnable. It stops at a number of states, not of seconds, so
                the same seed gives the same deal; what it could not decide by then is left out too.
            rules: the rules to prove it for.

        Raises:
            DealError: the draw count or the number of ranks is out of range, or not that of the rules.
            ConfigError: ``rng`` is no seed, there is no such rule set or the solver does not cover it, or none of 1,000
                deals drawn is proved winnable.
        """
        import numpy as np

        try:
            generator = np.random.default_rng(rng)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{rng!r} is no seed for a random deal: {error}") from None
        for _ in range(_MOST_DRAWN):
            number = int(generator.integers(FIRST_TRAINING_DEAL, DEAL_COUNT))
            deal = cls.from_number(number, draw, ranks)
            if not winnable:
                return deal
            from canfield_env.solver import solve

            if solve(deal, rules, max_seconds=None, max_states=_MOST_STATES).verdict == "winnable":
                return deal
        raise ConfigError(f"none of {_MOST_DRAWN} random deals could be proved winnable under these rules")


def check_draw(draw: int) -> None:
    """Raises DealError unless a turn of the stock may bring that many cards."""
    if isinstance(draw, bool) or not hasattr(draw, "__index__") or draw not in DRAWS:
        raise DealError(f"draw must be 1 or 3, not {draw!r}")


def check_ranks(ranks: int) -> None:
    """Raises DealError unless a game may have that many cards per suit."""
    if isinstance(ranks, bool) or not hasattr(ranks, "__index__") or not 2 <= ranks <= 13:
        raise DealError(f"ranks must be a whole number from 2 to 13, not {ranks!r}")


def check_number(number: int) -> None:
    """Raises DealError unless there is a deal of that number."""
    if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 <= number < DEAL_COUNT:
        raise DealError(f"a deal number is a whole number from 0 to {DEAL_COUNT - 1}, not {number!r}")


def splitmix64(state: int) -> tuple[int, int]:
    """One step of SplitMix64 (Steele, Lea, Flood 2014): the next state and the output, both below 2^64."""
    state = (state + 0x9E3779B97F4A7C15) & _MASK64
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK64
    return state, z ^ (z >> 31)


def shuffled(cards: Sequence[Card], number: int) -> list[Card]:
    """The cards after the frozen shuffle: unbiased Fisher-Yates from the last place down, on SplitMix64."""
    deck = list(cards)
    state = int(number)
    for i in range(len(deck) - 1, 0, -1):
        limit = 2**64 - 2**64 % (i + 1)
        state, output = splitmix64(state)
        while output >= limit:
            state, output = splitmix64(state)
        j = output % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def encode_code(number: int, draw: int = 3) -> str:
    """The game code of a deal number.

    Raises:
        DealError: the number or the draw count is out of range.
    """
    check_number(number)
    check_draw(draw)
    digits = [(number >> shift) & 31 for shift in range(25, -1, -5)]
    return f"CF1-D{draw}-" + "".join(ALPHABET[digit] for digit in [*digits, _check_symbol(digits)])


def decode_code(code: str) -> tuple[int, int]:
    """The deal number and the draw count of a game code.

    Raises:
        DealError: the text is no code; it says which letter is wrong, or that the code is mistyped.
    """
    if not isinstance(code, str):
        raise DealError(f"a game code is text such as CF1-D3-AAAAACL, not {code!r}")
    # Letters outside ASCII are left as they are: some of them are S or I in upper case.
    text = "".join(symbol.upper() if symbol.isascii() else symbol for symbol in code.strip())
    prefix, dash, symbols = text.rpartition("-")
    if prefix not in ("CF1-D1", "CF1-D3"):
        raise DealError(f"game code {code!r}: must start CF1-D3- or CF1-D1-, not {(prefix + dash) or text!r}")
    for place, symbol in enumerate(symbols, 1):
        if symbol not in ALPHABET:
            raise DealError(f"game code {code!r}: symbol {place}, {symbol!r}, is none of {ALPHABET}")
    if len(symbols) != 7:
        raise DealError(f"game code {code!r}: needs 7 symbols after {prefix}-, has {len(symbols)}")
    *digits, check = (ALPHABET.index(symbol) for symbol in symbols)
    if _check_symbol(digits) != check:
        raise DealError(f"game code {code!r} is mistyped: its check symbol {symbols[-1]!r} does not fit the others")
    number = 0
    for digit in digits:
        number = number << 5 | digit
    return number, int(prefix[-1])


def _check_symbol(digits: Sequence[int]) -> int:
    """The sum of digit(i) * 23^(6-i) over GF(32): finds any one wrong symbol and any two neighbours swapped."""
    total = 0
    for digit in digits:  # Horner's scheme
        total = _gf32_multiply(total ^ digit, 23)
    return total


def _gf32_multiply(a: int, b: int) -> int:
    """The product in GF(32), modulo x^5 + x^2 + 1."""
    product = 0
    for bit in range(5):
        if b >> bit & 1:
            product ^= a << bit
    for bit in range(8, 4, -1):
        if product >> bit & 1:
            product ^= 0b100101 << (bit - 5)
    return product
