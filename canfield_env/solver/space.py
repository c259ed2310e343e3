"""The states found so far: kept in one list, looked up by their words, and taken up best first.

The arrays are allocated once and used again for the next search without clearing.

``nodes``: int64[N, 3], the states in the order found: two words, then in the high half the place of the state it was
reached from (-1 for the first) and in the low half the place plus one of the next one in its bucket (0 for none).

``table``: int64[T], open addressing: in the low half of a slot a place in the list plus one, in the high half that of
the state's hash; 0 where it is free. Only the first ``2 ** info[TABLE_BITS]`` slots are in use: the table grows with
the search, so that a short search stays in the cache and starts at once.

``info``: int64[HEADS + BUCKETS], the scalars named below, then the place plus one of the state found last in each
bucket.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from canfield_env.engine.jit import jit

NODES: Final = 0  #: states in the list
LISTED: Final = 1  #: states in the table
TABLE_BITS: Final = 2
LOWEST: Final = 3  #: no bucket below this one holds a state
EXPANDED: Final = 4  #: states whose moves have been generated
WON: Final = 5  #: the state that is won, or -1
LOOPED: Final = 6  #: whether a run through the whole cycle of ranks and colours could have come about
HIGHEST: Final = 7  #: no bucket above this one holds a state
RANDOM: Final = 8  #: the state of the random numbers
HEADS: Final = 9
BUCKETS: Final = 1024

#: A long search takes every so many-th state from a random bucket. From that many states on, since most games are
#: decided before and sooner without it.
EXPLORE_EVERY: Final = 3
EXPLORE_FROM: Final = 1_000

FIRST_BITS: Final = 12
LOW: Final = 0xFFFFFFFF
#: The low half of a node's last word where it is not in the table.
UNLISTED: Final = LOW


class Space(NamedTuple):
    """The three arrays."""

    nodes: np.ndarray
    table: np.ndarray
    info: np.ndarray


def new_space(max_nodes: int) -> Space:
    """A space for that many states, at most 48 bytes each; the system provides memory as it is first touched."""
    bits = max(FIRST_BITS, (max_nodes * 3 // 2).bit_length())
    return Space(np.empty((max_nodes, 3), np.int64), np.empty(1 << bits, np.int64), np.empty(HEADS + BUCKETS, np.int64))


@jit
def clear(table: np.ndarray, info: np.ndarray) -> None:
    """Empties the space."""
    info[:] = 0
    info[TABLE_BITS] = FIRST_BITS
    info[LOWEST] = BUCKETS
    info[WON] = -1
    info[RANDOM] = 1
    table[: 1 << FIRST_BITS] = 0


@jit
def hash_of(a: int, b: int) -> int:
    """A well mixed hash of the two words."""
    x = a * -7046029254386353131  # 0x9E3779B97F4A7C15
    x ^= x >> 32
    x = (x ^ b) * -4658895280553007687  # 0xBF58476D1CE4E5B9
    x ^= x >> 29
    x *= -7723592293110705685  # 0x94D049BB133111EB
    return x ^ (x >> 32)


@jit
def _slot_of(a: int, b: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray) -> int:
    """The slot that holds the state, or the free one where it belongs."""
    hashed = hash_of(a, b)
    mask = (1 << info[TABLE_BITS]) - 1
    slot = hashed & mask
    while table[slot] != 0:
        if table[slot] >> 32 == hashed >> 32:
            node = (table[slot] & LOW) - 1
            if nodes[node, 0] == a and nodes[node, 1] == b:
                break
        slot = (slot + 1) & mask
    return slot


@jit
def is_known(a: int, b: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray) -> bool:
    """Whether the state is in the table."""
    return table[_slot_of(a, b, nodes, table, info)] != 0


@jit
def append(a: int, b: int, parent: int, nodes: np.ndarray, info: np.ndarray) -> int:
    """Puts a state in the list, not in the table, and returns its place."""
    node = info[NODES]
    nodes[node, 0] = a
    nodes[node, 1] = b
    nodes[node, 2] = parent << 32 | UNLISTED
    info[NODES] = node + 1
    return node


@jit
def enter(a: int, b: int, parent: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray) -> int:
    """Puts a state in the list and in the table, and returns its place; -1 where the table holds it already."""
    slot = _slot_of(a, b, nodes, table, info)
    if table[slot] != 0:
        return -1
    node = append(a, b, parent, nodes, info)
    nodes[node, 2] = parent << 32
    table[slot] = (hash_of(a, b) >> 32) << 32 | (node + 1)
    info[LISTED] += 1
    # At most two thirds full; new_space sees to it for the whole table.
    if info[LISTED] * 3 > 2 << info[TABLE_BITS] and 1 << info[TABLE_BITS] < table.size:
        _grow(nodes, table, info)
    return node


@jit
def _grow(nodes: np.ndarray, table: np.ndarray, info: np.ndarray) -> None:
    """Doubles the part of the table in use and fills it from the list."""
    info[TABLE_BITS] += 1
    table[: 1 << info[TABLE_BITS]] = 0
    for node in range(info[NODES]):
        if nodes[node, 2] & LOW != UNLISTED:
            a, b = nodes[node, 0], nodes[node, 1]
            table[_slot_of(a, b, nodes, table, info)] = (hash_of(a, b) >> 32) << 32 | (node + 1)


@jit
def queue(node: int, bucket: int, nodes: np.ndarray, info: np.ndarray) -> None:
    """Puts a state on top of a bucket; the lowest buckets are taken up first."""
    bucket = min(max(bucket, 0), BUCKETS - 1)
    nodes[node, 2] = nodes[node, 2] & ~LOW | info[HEADS + bucket]
    info[HEADS + bucket] = node + 1
    info[LOWEST] = min(info[LOWEST], bucket)
    info[HIGHEST] = max(info[HIGHEST], bucket)


@jit
def take(nodes: np.ndarray, info: np.ndarray) -> int:
    """Takes the state found last out of the lowest bucket that is not empty; -1 where all are.

    Now and then it is another bucket, whichever chance has it: so the search gets out of a region that looks near to a
    win and holds none (type-based exploration: Xie, Mueller, Holte, Imai, AAAI 2014).
    """
    bucket = info[LOWEST]
    while bucket < BUCKETS and info[HEADS + bucket] == 0:
        bucket += 1
    info[LOWEST] = bucket
    if bucket == BUCKETS:
        return -1
    if info[EXPANDED] >= EXPLORE_FROM and info[EXPANDED] % EXPLORE_EVERY == 0:
        bucket = _random_bucket(info)
    node = info[HEADS + bucket] - 1
    info[HEADS + bucket] = nodes[node, 2] & LOW
    return node


@jit
def _random_bucket(info: np.ndarray) -> int:
    """A bucket that is not empty, by xorshift numbers (Marsaglia 2003) that are the same in every search."""
    x = info[RANDOM]
    x ^= x << 13
    x ^= (x >> 7) & 0x1FFFFFFFFFFFFFF
    x ^= x << 17
    info[RANDOM] = x
    bucket = info[LOWEST] + (x >> 33 & 0x7FFFFFFF) % (info[HIGHEST] - info[LOWEST] + 1)
    while info[HEADS + bucket] == 0:
        bucket -= 1
    return bucket
