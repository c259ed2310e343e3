"""Canfield a second time, written from the rules alone, to hold the package to them.

Nothing here is shared with ``canfield_env``. A card is an integer, ``4 * rank + suit`` with suits c, d, h, s; a state
is an immutable tuple; a foundation is only the number of cards on it. Slow, small, and meant to be read beside the
rules, whose numbers the comments give.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

RANKS, SUITS = "A23456789TJQK", "cdhs"
Pile = tuple[int, ...]
T = TypeVar("T")


class Law(NamedTuple):
    """One rule set together with the number of cards that a turn brings."""

    runs: str = "any"
    spaces: str = "any"
    take_back: bool = True
    build_on_base: bool = True
    redeals: int | None = None
    ranks: int = 13
    columns: int = 4
    reserve: int = 13
    draw: int = 3


APP = Law()
HOYLE = Law(runs="whole", spaces="waste", take_back=False)


class State(NamedTuple):
    """A table, bottom to top in every pile; ``seen`` is what a player who forgets nothing has looked at."""

    law: Law
    base: int
    up: tuple[int, ...]
    reserve: Pile
    stock: Pile
    waste: Pile
    columns: tuple[Pile, ...]
    redeals: int = 0
    actions: int = 0
    score: int = 0
    seen: frozenset[int] = frozenset()


# --- cards and texts -------------------------------------------------------------------------------------------------


def card(text: str) -> int:
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def name(c: int) -> str:
    return RANKS[c // 4] + SUITS[c % 4]


def cards(text: str) -> Pile:
    """Cards written one after the other, with or without spaces."""
    text = text.replace(" ", "")
    return tuple(card(text[i : i + 2]) for i in range(0, len(text), 2))


def is_red(c: int) -> bool:
    return c % 4 in (1, 2)


def spell(pile: Pile, known: frozenset[int] | None) -> str:
    """A pile as text; with ``known``, the cards outside it are only counted."""
    out, hidden = "", 0
    for c in pile:
        if known is None or c in known:
            out += (f"({hidden})" if hidden else "") + name(c)
            hidden = 0
        else:
            hidden += 1
    return out + (f"({hidden})" if hidden else "") or "-"


def show(s: State, view: str = "full") -> str:
    """The position text."""
    known = s.seen if view == "player" else None
    tops = "".join(RANKS[(s.base + n - 1) % s.law.ranks] if n else "-" for n in s.up)
    columns = "/".join(spell(column, known) for column in s.columns)
    piles = " ".join(spell(pile, known) for pile in (s.reserve, s.stock, s.waste))
    return f"{RANKS[s.base]}:{tops} {piles} {columns} {s.redeals} {s.actions}"


def read(text: str, law: Law = APP) -> State:
    """A state from the full text of a position, as if its player had seen what lies open; the score is left at 0."""
    tops, reserve, stock, waste, columns, redeals, actions = text.split()
    base = RANKS.index(tops[0])
    up = tuple(0 if t == "-" else (RANKS.index(t) - base) % law.ranks + 1 for t in tops[2:])
    r, s, w, *piles = (() if pile == "-" else cards(pile) for pile in (reserve, stock, waste, *columns.split("/")))
    return look(State(law, base, up, r, s, w, tuple(piles), int(redeals), int(actions)))


# --- setup (A) -------------------------------------------------------------------------------------------------------


def deal(deck: Pile, law: Law = APP) -> State:
    r, c = law.reserve, law.columns
    base = deck[r]
    columns = tuple((x,) for x in deck[r + 1 : r + 1 + c])
    up = tuple(int(suit == base % 4) for suit in range(4))
    return look(State(law, base // 4, up, deck[:r], deck[r + 1 + c :][::-1], (), columns))


def look(s: State) -> State:
    """Adds what lies open to what the player has seen."""
    on_foundations = {c for c in range(4 * s.law.ranks) if (c // 4 - s.base) % s.law.ranks < s.up[c % 4]}
    return s._replace(seen=s.seen.union(s.reserve[-1:], s.waste, *s.columns, on_foundations))


# --- moves (B to F) --------------------------------------------------------------------------------------------------


def fits_foundation(s: State, c: int) -> bool:
    """B1 to B3: as many cards of its suit lie there as its rank is above the base rank. (So a full one takes none.)"""
    return s.up[c % 4] == (c // 4 - s.base) % s.law.ranks


def fits_card(s: State, c: int, on: int) -> bool:
    """C1 and C2."""
    if not s.law.build_on_base and on // 4 == s.base:
        return False
    return is_red(c) != is_red(on) and (c // 4 + 1) % s.law.ranks == on // 4


def fits_column(s: State, c: int, j: int, from_waste: bool) -> bool:
    if s.columns[j]:
        return fits_card(s, c, s.columns[j][-1])
    return not s.reserve and (s.law.spaces == "any" or from_waste)  # D3, D4


def is_won(s: State) -> bool:
    return sum(s.up) == 4 * s.law.ranks


def can_turn(s: State) -> bool:
    """E1 and E3."""
    return bool(s.stock or (s.waste and (s.law.redeals is None or s.redeals < s.law.redeals)))


def moves(s: State) -> frozenset[str]:
    """Every legal token; none once the game is won."""
    return frozenset() if is_won(s) else frozenset(_moves(s))


def _moves(s: State) -> Iterator[str]:
    if can_turn(s):
        yield "D"
    places = range(len(s.columns))
    for pile, source in (s.waste, "W"), (s.reserve, "R"):
        if pile:
            if fits_foundation(s, pile[-1]):
                yield f"{source}F"
            yield from (f"{source}{j + 1}" for j in places if fits_column(s, pile[-1], j, source == "W"))
    for i, column in enumerate(s.columns):
        if column and fits_foundation(s, column[-1]):
            yield f"{i + 1}F"
        for n in range(1, len(column) + 1):  # C3: n cards from the top
            if s.law.runs == "any" or n == len(column):
                for j in places:
                    if j != i and fits_column(s, column[-n], j, False):
                        yield f"{i + 1}{j + 1}" + (f"x{n}" if n < len(column) else "")
    if s.law.take_back:  # F1
        for suit, n in enumerate(s.up):
            if n:
                top = 4 * ((s.base + n - 1) % s.law.ranks) + suit
                yield from (f"F{SUITS[suit]}{j + 1}" for j in places if fits_column(s, top, j, False))


def play(s: State, token: str) -> State:
    """The state after one legal token."""
    if token not in moves(s):
        raise ValueError(f"{token} is not legal in {show(s)}")
    return advance(s, token)


def advance(s: State, token: str) -> State:
    """The same for a token known to be legal."""
    s = turn(s) if token == "D" else refill(drop(*lift(s, token), token))
    return look(s._replace(actions=s.actions + 1))


def turn(s: State) -> State:
    if not s.stock:
        return s._replace(stock=s.waste[::-1], waste=(), redeals=s.redeals + 1)
    n = s.law.draw
    return s._replace(stock=s.stock[:-n], waste=s.waste + s.stock[-n:][::-1])


def lift(s: State, token: str) -> tuple[State, Pile]:
    """Takes the cards that a token moves off their pile."""
    if token[0] == "W":
        return s._replace(waste=s.waste[:-1]), s.waste[-1:]
    if token[0] == "R":
        return s._replace(reserve=s.reserve[:-1]), s.reserve[-1:]
    if token[0] == "F":
        suit = SUITS.index(token[1])
        n = s.up[suit] - 1
        return s._replace(up=put(s.up, suit, n)), (4 * ((s.base + n) % s.law.ranks) + suit,)
    i = int(token[0]) - 1
    column = s.columns[i]
    n = 1 if token[1] == "F" else int(token[3:] or len(column))
    return s._replace(columns=put(s.columns, i, column[:-n])), column[-n:]


def drop(s: State, taken: Pile, token: str) -> State:
    """Lays them where the token says (H1: five points for a card that reaches its foundation)."""
    if token.endswith("F"):
        suit = taken[0] % 4
        return s._replace(up=put(s.up, suit, s.up[suit] + 1), score=s.score + 5)
    j = int(token.split("x")[0][-1]) - 1
    return s._replace(columns=put(s.columns, j, s.columns[j] + taken))


def refill(s: State) -> State:
    """D3; at most one column is empty while the reserve is not."""
    for i, column in enumerate(s.columns):
        if not column and s.reserve:
            s = s._replace(columns=put(s.columns, i, s.reserve[-1:]), reserve=s.reserve[:-1])
    return s


def put(items: tuple[T, ...], i: int, value: T) -> tuple[T, ...]:
    return (*items[:i], value, *items[i + 1 :])


def undo(before: State, now: State) -> State:
    """H3; what has been seen stays seen."""
    return before._replace(seen=now.seen)


# --- end, bet and tap (G, H, I) --------------------------------------------------------------------------------------


def is_dead(s: State) -> bool:
    """Not won, and no number of turns of the stock brings up any move but turning."""
    met = set()
    while not is_won(s) and (s.stock, s.waste) not in met:
        if moves(s) - {"D"}:
            return False
        met.add((s.stock, s.waste))
        if not can_turn(s):
            return True
        s = turn(s)
    return not is_won(s)


def casino(s: State) -> int:
    """H4, in dollars."""
    return (500 if is_won(s) else 5 * sum(s.up)) - 50


def tap(s: State, c: int, double_tap: bool = True) -> str | None:
    """I1. The leftmost of equally long columns, and of empty ones. Cards on the foundations stay there."""
    legal = [] if s.up[c % 4] > (c // 4 - s.base) % s.law.ranks else moves(s)
    for source, tail, is_top in sources(s, c):
        if is_top and f"{source}F" in legal:
            return f"{source}F"
        tokens = {j: f"{source}{j + 1}{tail}" for j in range(len(s.columns))}
        targets = [j for j, token in tokens.items() if token in legal]
        if targets and double_tap:
            return tokens[max(targets, key=lambda j: len(s.columns[j]))]
    return None


def sources(s: State, c: int) -> Iterator[tuple[str, str, bool]]:
    """How tokens name a card in play: what stands before and after the destination, and whether no card lies on it."""
    if s.waste[-1:] == (c,):
        yield "W", "", True
    if s.reserve[-1:] == (c,):
        yield "R", "", True
    for i, column in enumerate(s.columns):
        if c in column:
            n = len(column) - column.index(c)
            yield f"{i + 1}", f"x{n}" if n < len(column) else "", n == 1
    if s.up[c % 4] == (c // 4 - s.base) % s.law.ranks + 1:
        yield f"F{SUITS[c % 4]}", "", True


# --- perft -----------------------------------------------------------------------------------------------------------


def perft(s: State, depth: int) -> int:
    """Sequences of exactly ``depth`` moves."""
    return sum(perft(advance(s, token), depth - 1) for token in moves(s)) if depth else 1


def divide(s: State, depth: int) -> dict[str, int]:
    return {token: perft(advance(s, token), depth - 1) for token in sorted(moves(s))}


# --- codes and decks -------------------------------------------------------------------------------------------------

SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
START = cards(
    "Ac 2c 8h 3c 4c Js 5c 7c 8c Qh 9c Qc Tc Jc Kc Ad 2d 3d 4d 7h 5d 6d 7d 8d 9d Td"
    "Jd Qd Kd Ah 2h 6c 3h 4h 5h 6h Kh 9h Th Jh 2s 3s 4s 5s 6s Qs 7s As 8s 9s Ts Ks"
)
# Powers of x in GF(32) with x^5 + x^2 + 1, and back: a product is a sum of logarithms.
POWERS = [1]
while len(POWERS) < 31:
    doubled = 2 * POWERS[-1]
    POWERS.append(doubled if doubled < 32 else doubled ^ 0b100101)


def times(a: int, b: int) -> int:
    return POWERS[(POWERS.index(a) + POWERS.index(b)) % 31] if a and b else 0


def check_symbol(digits: list[int]) -> int:
    """Horner's rule for the sum of digit(i) * 23^(6-i)."""
    total = 0
    for digit in digits:
        total = times(total ^ digit, 23)
    return total


def code(number: int, draw: int) -> str:
    digits = [number // 32**i % 32 for i in range(5, -1, -1)]
    return f"CF1-D{draw}-" + "".join(SYMBOLS[d] for d in [*digits, check_symbol(digits)])


def splitmix64(state: int) -> Iterator[int]:
    mask = 2**64 - 1
    while True:
        state = state + 0x9E3779B97F4A7C15 & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


def deck(number: int) -> Pile:
    order, outputs = list(START), splitmix64(number)
    for i in range(51, 0, -1):
        limit = 2**64 // (i + 1) * (i + 1)
        x = next(x for x in outputs if x < limit)
        order[i], order[x % (i + 1)] = order[x % (i + 1)], order[i]
    return tuple(order)
