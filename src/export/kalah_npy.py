"""Values of Kalah positions, from the arrays that `kalah export --format npy` writes.

It needs numpy and nothing else:

    from kalah_npy import Tables

    tables = Tables("arrays")
    tables.values([1, 0, 3, 1, 2, 1, 15, 2, 0, 0, 0, 2, 0, 21])   # 2
    for positions, margins in tables.batches(stones=12, size=4096):
        ...                                                         # train

A position is the mover's pits from the mover's left, then the opponent's pits from the opponent's
left: an array whose last axis has as many numbers as the board has pits. A board has the stores too,
each after its owner's pits. The margin of a position is what the mover still gets minus what the
opponent still gets when both play perfectly; the value of a board adds the difference of its stores.

A layer is all positions of a number of stones, in an order in which the index of a position can be
computed. First come the positions without stones in the mover's row, then those with one stone there,
and so on; among as many stones there, the mover's rows come in lexicographic order, and with each of
them the opponent's rows in lexicographic order. `Tables.layers[n]` is the array of the margins of
layer n, `Tables.index` and `Tables.positions` go from position to index and back.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.int64]

MOST_PITS = 6
MOST_STONES = 127


def _count_rows() -> Numbers:
    counts = np.zeros((MOST_PITS + 1, MOST_STONES + 2), dtype=np.int64)
    counts[0, 1] = 1
    for pits in range(1, MOST_PITS + 1):
        # The first pit takes some of the stones and leaves the others to the rest of the row.
        counts[pits] = np.cumsum(counts[pits - 1])
    return counts


# ROWS[p, s + 1] rows of p pits hold s stones, C(s + p - 1, p - 1); ROWS[p, 0] is 0.
ROWS = _count_rows()


def rank(rows: ArrayLike) -> Numbers:
    """The place of each row among the rows of as many stones, from 0, in lexicographic order.

    The last axis of `rows` is the pits of a row. The rows that come after this one and first differ
    from it at a pit have at least one stone more there, and so any row of one stone less than this
    one has to the right of it, in that pit and those to the right.
    """
    stones: Numbers = np.asarray(rows, dtype=np.int64)
    pits = stones.shape[-1]
    # Stones in each pit and those to the right of it.
    right = np.cumsum(stones[..., ::-1], axis=-1)[..., ::-1]
    place: Numbers = ROWS[pits, right[..., 0] + 1] - 1
    for pit in range(1, pits):
        place = place - ROWS[pits - pit + 1, right[..., pit]]
    return place


def unrank(stones: ArrayLike, place: ArrayLike, pits: int) -> NDArray[np.uint8]:
    """The rows of so many stones at these places: the inverse of `rank`."""
    left: Numbers
    among: Numbers
    left, among = np.broadcast_arrays(
        np.asarray(stones, dtype=np.int64), np.asarray(place, dtype=np.int64)
    )
    rows = np.empty(left.shape + (pits,), dtype=np.uint8)
    for pit in range(pits - 1):
        counts = ROWS[pits - pit, 1:]
        # The rows with at least c stones in this pit are as many as there are rows of c stones less.
        # So many come from this one on:
        rest = counts[left] - among
        right = np.searchsorted(counts, rest)
        rows[..., pit] = left - right
        among = among - (counts[left] - counts[right])
        left = right
    rows[..., pits - 1] = left
    return rows


def _starts(pits: int) -> Numbers:
    """[n, a] is the index in layer n of its first position with a stones in the mover's row; [n, n + 1]
    is the number of all its positions."""
    starts = np.zeros((MOST_STONES + 1, MOST_STONES + 2), dtype=np.int64)
    for stones in range(MOST_STONES + 1):
        mover = np.arange(stones + 1)
        starts[stones, 1 : stones + 2] = np.cumsum(
            ROWS[pits, mover + 1] * ROWS[pits, stones - mover + 1]
        )
    return starts


class Tables:
    """The layers of one rule set and number of pits in a folder, mapped into memory.

    rules   "standard" or "empty-capture"
    pits    pits a side
    layers  for each number of stones, from 0, the margins by index, as int8
    """

    def __init__(
        self, folder: str | PathLike[str] = ".", rules: str = "standard", pits: int = 6
    ) -> None:
        if not 1 <= pits <= MOST_PITS:
            raise ValueError(f"tables have 1 to {MOST_PITS} pits a side, not {pits}")
        self.rules, self.pits = rules, pits
        self.layers: list[NDArray[np.int8]] = []
        self._starts = _starts(pits)
        while len(self.layers) <= MOST_STONES:
            stones = len(self.layers)
            file = Path(folder) / f"{rules}-{pits}pits-{stones:02}stones.npy"
            if not file.exists():
                break
            margins = np.load(file, mmap_mode="r")
            if margins.dtype != np.int8 or margins.shape != (self._starts[stones, stones + 1],):
                raise ValueError(f"{file} is not the layer that its name says; export it again")
            self.layers.append(margins)
        if not self.layers:
            raise FileNotFoundError(f"there is no {file}; kalah export --format npy writes it")

    @property
    def stones(self) -> int:
        """The most stones in the pits of a position."""
        return len(self.layers) - 1

    def values(self, boards: ArrayLike) -> NDArray[np.int16]:
        """The mover's final store minus the opponent's: of each board, as `boards` has them.

        The last axis is a board, as kalah query takes it: the mover's pits and store, the opponent's
        pits and store.
        """
        stones: Numbers = np.asarray(boards, dtype=np.int64)
        if stones.shape[-1:] != (2 * self.pits + 2,):
            raise ValueError(f"a board has {2 * self.pits + 2} numbers on the last axis")
        values = np.asarray(self.margins(np.delete(stones, [self.pits, -1], axis=-1)), np.int16)
        values += (stones[..., self.pits] - stones[..., -1]).astype(np.int16)
        return values

    def margins(self, positions: ArrayLike) -> NDArray[np.int8]:
        """The margin of each position, as `positions` has them, of any layers."""
        index = self.index(positions)
        stones = np.asarray(positions, dtype=np.int64).sum(axis=-1)
        margins = np.empty(stones.shape, dtype=np.int8)
        for layer in np.unique(stones):
            there = stones == layer
            margins[there] = self.layers[layer][index[there]]
        return margins

    def index(self, positions: ArrayLike) -> Numbers:
        """The index of each position in the layer of as many stones."""
        pits: Numbers = np.asarray(positions, dtype=np.int64)
        if pits.shape[-1:] != (2 * self.pits,):
            raise ValueError(f"a position has {2 * self.pits} numbers on the last axis")
        if (pits < 0).any():
            raise ValueError("a pit holds no fewer than 0 stones")
        mover, opponent = pits[..., : self.pits], pits[..., self.pits :]
        mine, theirs = mover.sum(axis=-1), opponent.sum(axis=-1)
        if (mine + theirs > self.stones).any():
            raise ValueError(f"the tables end at {self.stones} stones in the pits")
        index: Numbers = self._starts[mine + theirs, mine] + rank(opponent)
        index += rank(mover) * ROWS[self.pits, theirs + 1]
        return index

    def positions(self, stones: int, index: ArrayLike) -> NDArray[np.uint8]:
        """The positions at these indices of the layer of so many stones: the inverse of `index`."""
        places: Numbers = np.asarray(index, dtype=np.int64)
        starts = self._starts[stones, : stones + 2]
        if (places < 0).any() or (places >= starts[-1]).any():
            raise IndexError(f"the layer of {stones} stones has the indices 0 to {starts[-1] - 1}")
        mine = np.searchsorted(starts, places, side="right") - 1
        theirs = stones - mine
        mover, opponent = np.divmod(places - starts[mine], ROWS[self.pits, theirs + 1])
        rows = unrank(mine, mover, self.pits), unrank(theirs, opponent, self.pits)
        return np.concatenate(rows, axis=-1)

    def open(self, stones: int) -> range:
        """The indices of the layer's positions in which the game goes on."""
        if stones == 0:
            return range(0)
        # Before them the mover's row is empty, after them the opponent's.
        over = int(ROWS[self.pits, stones + 1])
        return range(over, len(self.layers[stones]) - over)

    def batches(
        self, stones: int, size: int
    ) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int8]]]:
        """Goes through the open positions of a layer: `size` of them at a time, and their margins."""
        open = self.open(stones)
        for start in range(open.start, open.stop, size):
            index = np.arange(start, min(start + size, open.stop))
            yield self.positions(stones, index), np.array(self.layers[stones][index])

    def sample(
        self, stones: int, size: int, random: np.random.Generator
    ) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
        """Draws so many open positions of a layer, each with the same chance, and their margins."""
        open = self.open(stones)
        index = random.integers(open.start, open.stop, size)
        return self.positions(stones, index), self.layers[stones][index]
