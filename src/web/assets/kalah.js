// Exact values of Kalah endgames, from a table that `kalah export --format web` wrote.
//
//     import { KalahTable } from "./kalah.js";
//
//     const table = await KalahTable.load("standard-6pits-12stones.kalahweb");
//     table.value([1, 0, 3, 1, 2, 1, 15, 2, 0, 0, 0, 2, 0, 21]); // 2: the mover wins by two
//     table.best([1, 0, 3, 1, 2, 1, 15, 2, 0, 0, 0, 2, 0, 21]); // { value: 2, pits: [6] }
//
// A position is the mover's pits from the mover's left, the mover's store, the opponent's pits from
// the opponent's left, the opponent's store; or both rows of pits alone when the stores are empty.
// FORMAT.md tells what is in the file, and why.

/** What a file begins with. */
const MAGIC = "KALAHWEB";
const VERSION = 1;
const RULES = ["standard", "empty-capture"];
/** Bytes before the code and after it. */
const HEADER = 16;
const CHECKSUM = 4;
const MOST_PITS = 6;
/** The most positions of a table: what the reader sets memory aside for, whatever a file says. */
const MOST_POSITIONS = 2 ** 26;
/** The most stones of a position, stores included. */
const MOST_STONES = 127;
/** Known to this module alone, so that nobody else makes a table. */
const KEY = Symbol("from");

/** What is wrong with a file, or with reaching it. */
export class KalahTableError extends Error {
  name = "KalahTableError";
}

/** A table in memory, a byte a position: the mover's share of the stones in the pits. */
export class KalahTable {
  /** `"standard"` or `"empty-capture"`. */
  rules;
  /** Pits a side. */
  pits;
  /** The most stones in the pits that the table covers. */
  stones;
  #numbering;
  #shares;

  /** Fetches a table and reads it. */
  static async load(url, options) {
    const response = await fetch(url, options);
    if (!response.ok) {
      const reason = `${response.status} ${response.statusText}`.trim();
      throw new KalahTableError(`${url} cannot be loaded: ${reason}`);
    }
    return KalahTable.from(await response.arrayBuffer());
  }

  /** Reads the bytes of a table. */
  static from(bytes) {
    if (bytes === null || typeof bytes !== "object") {
      throw new TypeError("a table is read from an ArrayBuffer or a view of one");
    }
    return new KalahTable(KEY, ArrayBuffer.isView(bytes) ? view(bytes) : new Uint8Array(bytes));
  }

  /** Only for `from`: what is given to it is known to be bytes. */
  constructor(key, bytes) {
    if (key !== KEY) throw new TypeError("a table is made by KalahTable.load or KalahTable.from");
    const { rules, pits, stones, code } = readFile(bytes);
    this.rules = RULES[rules];
    this.pits = pits;
    this.stones = stones;
    this.#numbering = new Numbering(pits, stones);
    this.#shares = new TableDecoder(this.#numbering, rules, code).decode();
  }

  /**
   * The mover's final store minus the opponent's when both play perfectly; `null` when more stones
   * are in the pits than the table covers and the game is not over.
   */
  value(position) {
    const { mover, opponent, lead } = this.#read(position);
    const margin = this.#margin(mover, opponent);
    return margin === null ? null : lead + margin;
  }

  /** The value, and the pits that keep it, from 1 at the mover's left; `null` as for `value`. */
  best(position) {
    const value = this.value(position);
    if (value === null) return null;
    const pits = this.moves(position).filter((move) => move.value === value);
    return { value, pits: pits.map((move) => move.pit) };
  }

  /**
   * Every legal move by pit, with the value of the position for the mover after it (`null` beyond
   * the table), whether the mover moves again, and the stones captured from the facing pit. None
   * when the game is over.
   */
  moves(position) {
    const { mover, opponent, lead } = this.#read(position);
    if (isEmpty(mover) || isEmpty(opponent)) return [];
    const moves = [];
    for (let pit = 0; pit < this.pits; pit++) {
      if (mover[pit] === 0) continue;
      const after = sow(mover, opponent, pit, this.rules);
      const margin = after.extraMove
        ? this.#margin(after.mover, after.opponent)
        : this.#margin(after.opponent, after.mover);
      const rest = after.extraMove ? margin : -margin;
      const value = margin === null ? null : lead + after.gained + rest;
      moves.push({ pit: pit + 1, value, extraMove: after.extraMove, captured: after.captured });
    }
    return moves;
  }

  /** The rows of a position, and how far the mover's store is ahead. */
  #read(position) {
    const pits = this.pits;
    const numbers = Array.from(position);
    if (numbers.length !== 2 * pits && numbers.length !== 2 * pits + 2) {
      throw new RangeError(
        `a position has ${2 * pits + 2} numbers, or ${2 * pits} when both stores are empty, ` +
          `not ${numbers.length}`,
      );
    }
    for (const number of numbers) {
      if (!Number.isInteger(number) || number < 0) {
        throw new RangeError(`a pit or store holds a whole number of stones, not ${number}`);
      }
    }
    const stones = sum(numbers);
    if (stones > MOST_STONES) {
      throw new RangeError(`a position has at most ${MOST_STONES} stones, not ${stones}`);
    }
    const withStores = numbers.length > 2 * pits ? 1 : 0;
    return {
      mover: numbers.slice(0, pits),
      opponent: numbers.slice(pits + withStores, 2 * pits + withStores),
      lead: withStores ? numbers[pits] - numbers[2 * pits + 1] : 0,
    };
  }

  /** What the mover still gets minus what the opponent still gets. */
  #margin(mover, opponent) {
    const own = sum(mover);
    const stones = own + sum(opponent);
    if (stones <= this.stones) {
      const numbering = this.#numbering;
      const line = numbering.line(stones, own, numbering.rank(mover));
      return 2 * this.#shares[line + numbering.rank(opponent)] - stones;
    }
    // A game that is over needs no table.
    if (own === 0) return -stones;
    return own === stones ? stones : null;
  }
}

const sum = (row) => row.reduce((stones, pit) => stones + pit, 0);
const isEmpty = (row) => row.every((pit) => pit === 0);
const view = (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Sows a pit. The rows are still the same player's afterwards. */
function sow(mover, opponent, pit, rules) {
  const pits = mover.length;
  const places = [...mover, 0, ...opponent];
  let place = pit;
  let hand = places[pit];
  places[pit] = 0;
  for (; hand > 0; hand--) {
    place = (place + 1) % places.length;
    places[place]++;
  }
  let captured = 0;
  if (place < pits && places[place] === 1) {
    const facing = 2 * pits - place;
    if (places[facing] > 0 || rules === "empty-capture") {
      captured = places[facing];
      places[pits] += 1 + captured;
      places[place] = places[facing] = 0;
    }
  }
  return {
    mover: places.slice(0, pits),
    opponent: places.slice(pits + 1),
    gained: places[pits],
    extraMove: place === pits,
    captured,
  };
}

/** What a file says of itself, and the code of its values, when its checksum is right. */
function readFile(bytes) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
  if (magic !== MAGIC) throw new KalahTableError("this is not a Kalah table for a web page");
  const version = bytes[MAGIC.length] ?? VERSION;
  if (version !== VERSION) {
    throw new KalahTableError(
      `this table is of format version ${version}, and this reader reads version ${VERSION}`,
    );
  }
  const least = HEADER + CHECKSUM;
  const length = bytes.length < least ? least : least + data.getUint32(12, true);
  if (bytes.length !== length) {
    throw new KalahTableError(
      `this table has ${bytes.length} bytes and should have ${length}: it was cut or added to`,
    );
  }
  const end = bytes.length - CHECKSUM;
  if (crc32(bytes.subarray(0, end)) !== data.getUint32(end, true)) {
    throw new KalahTableError("this table is damaged: its checksum does not match");
  }
  const [rules, pits, stones] = bytes.subarray(9, 12);
  const possible = rules < RULES.length && pits >= 1 && pits <= MOST_PITS && stones <= MOST_STONES;
  if (!possible || binomial(stones + 2 * pits, 2 * pits) > MOST_POSITIONS) {
    throw new KalahTableError(
      `there is no table with rules ${rules}, ${pits} pits and ${stones} stones`,
    );
  }
  return { rules, pits, stones, code: bytes.subarray(HEADER, end) };
}

/** The CRC-32 of gzip and PNG. */
function crc32(bytes) {
  const table = Int32Array.from({ length: 256 }, (_, remainder) => {
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
    }
    return remainder;
  });
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}

function binomial(n, k) {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}

/** Positions as indices into one array: by stones in the pits, by the mover's, by row, by row. */
class Numbering {
  constructor(pits, stones) {
    this.pits = pits;
    this.stones = stones;
    /** `counts[p][s]`: how many rows of `p` pits hold `s` stones. */
    this.counts = Array.from({ length: pits + 1 }, (_, p) =>
      Int32Array.from({ length: stones + 1 }, (_, s) =>
        p === 0 ? Number(s === 0) : binomial(s + p - 1, p - 1),
      ),
    );
    /**
     * A rank is minus the sum over the pits of `behind[pit * width + after]`, where `after` counts
     * the stones from that pit on: so many rows with the same stones before `pit - 1` have more
     * there.
     */
    this.width = stones + 1;
    this.behind = new Int32Array(pits * this.width);
    for (let after = 0; after <= stones; after++) {
      this.behind[after] = 1 - this.rows(after);
      for (let pit = 1; pit < pits && after > 0; pit++) {
        this.behind[pit * this.width + after] = this.counts[pits - pit + 1][after - 1];
      }
    }
    /** `starts[n][a]`: the first position of `n` stones, `a` of them the mover's. */
    this.starts = [];
    this.positions = 0;
    for (let n = 0; n <= stones; n++) {
      this.starts.push(new Int32Array(n + 1));
      for (let a = 0; a <= n; a++) {
        this.starts[n][a] = this.positions;
        this.positions += this.rows(a) * this.rows(n - a);
      }
    }
  }

  /** How many rows hold so many stones. */
  rows(stones) {
    return this.counts[this.pits][stones];
  }

  /** The rank of a row among those of as many stones, in lexicographic order. */
  rank(row) {
    const { behind, width } = this;
    let after = 0;
    let rank = 0;
    for (let pit = this.pits - 1; pit >= 0; pit--) {
      after += row[pit];
      rank -= behind[pit * width + after];
    }
    return rank;
  }

  /** All rows of so many stones, by rank, one after the other. */
  rowsOf(stones) {
    const { pits } = this;
    const rows = new Uint8Array(this.rows(stones) * pits);
    rows[pits - 1] = stones;
    for (let at = pits; at < rows.length; at += pits) {
      const before = at - pits;
      // The last stones go back to the last pit, but for one, which goes a pit to the left.
      let last = pits - 1;
      while (rows[before + last] === 0) last--;
      for (let pit = 0; pit < last; pit++) rows[at + pit] = rows[before + pit];
      rows[at + last - 1]++;
      rows[at + pits - 1] = rows[before + last] - 1;
    }
    return rows;
  }

  /** The index of the first position with the mover's row of this rank. */
  line(stones, own, rank) {
    return this.starts[stones][own] + rank * this.rows(stones - own);
  }
}

/** More than anybody can get: no move says anything. */
const NO_BOUND = 255;
/** Chances are in 1 / 2^15 and learn a 32nd part of each answer. */
const CHANCE_BITS = 15;
const CERTAIN = 1 << CHANCE_BITS;
const RATE = 5;
const SMALL_RANGE = 1 << 23;

/**
 * Reads the shares of all positions: from no stones up, because what is known of fewer stones tells
 * most of what there is to know. FORMAT.md explains it.
 *
 * It has a few dozen nanoseconds a position: its loops make no objects, and their numbers stay
 * within 32 bits with sign, for which engines have the fastest code.
 */
class TableDecoder {
  constructor(numbering, rules, code) {
    const { pits, stones, positions } = numbering;
    this.numbering = numbering;
    this.takesEmpty = RULES[rules] === "empty-capture";
    // Behind the last position is a place for moves that say nothing; a rank is added to it.
    this.shares = new Uint8Array(positions + numbering.rows(stones)).fill(NO_BOUND, positions);
    this.after = new Int32Array(pits);
    this.rows = Array.from({ length: stones }, (_, own) => numbering.rowsOf(own));
    this.sowings = this.rows.map((_, others) => this.#sowings(others));
    // By kind of question, and by how much larger than the candidate two neighbours are.
    this.differences = 2 * stones + 1;
    const contexts = (pits + 2) * this.differences * this.differences;
    this.chances = new Uint16Array(contexts).fill(CERTAIN / 2);
    this.code = code;
    this.taken = 4;
    this.range = 0x7fffffff;
    this.value = (code[0] << 24) | (code[1] << 16) | (code[2] << 8) | code[3];
  }

  decode() {
    const { numbering, shares } = this;
    for (let stones = 0; stones <= numbering.stones; stones++) {
      for (let own = 1; own < stones; own++) this.#decodeBlock(stones, own);
      // The sweep: a mover without stones gets none, one with every stone gets all.
      const all = numbering.starts[stones][stones];
      shares.fill(stones, all, all + numbering.rows(stones));
    }
    if (this.taken !== this.code.length || this.value !== 0) {
      throw new KalahTableError("this table is wrong: its code does not end where the values end");
    }
    return shares.subarray(0, numbering.positions);
  }

  /**
   * What moves make of each of the opponent's rows, as ranks: `passed[k]` with a stone more in each
   * of the first `k` pits, `cleared[j]` without the stones in pit `j`.
   */
  #sowings(others) {
    const { numbering, after } = this;
    const { pits, stones } = numbering;
    const rows = this.rows[others];
    const ranks = () => new Int32Array(numbering.rows(others));
    // The mover has a stone, which goes to the store.
    const passed = Array.from({ length: Math.min(pits, stones - 1 - others) + 1 }, ranks);
    const cleared = Array.from({ length: pits }, ranks);
    for (let rank = 0; rank < numbering.rows(others); rank++) {
      for (let pit = 0; pit < pits; pit++) after[pit] = rows[rank * pits + pit];
      for (let pit = 0; pit < pits; pit++) {
        const held = after[pit];
        after[pit] = 0;
        cleared[pit][rank] = held > 0 ? numbering.rank(after) : rank;
        after[pit] = held;
      }
      for (let count = 0; count < passed.length; count++) {
        passed[count][rank] = numbering.rank(after);
        if (count < pits) after[count]++;
      }
    }
    return { passed, cleared };
  }

  #decodeBlock(stones, own) {
    const { numbering } = this;
    const targets = this.#targets(stones, own);
    const bounds = new Uint8Array(numbering.rows(stones - own));
    for (let rank = 0; rank < numbering.rows(own); rank++) {
      const staying = this.#boundLine(rank, stones, own, targets, bounds);
      this.#decodeLine(numbering.line(stones, own, rank), stones, rank > 0, staying, bounds);
    }
  }

  /**
   * The index of the position that a move leads to, but for the rank of the mover's row after it:
   * `passed[k]` when `k` stones pass into the opponent's row, `captured[j]` when the opponent's pit
   * `j` is captured from, by the rank of the opponent's row. The opponent is to move there.
   */
  #targets(stones, own) {
    const { numbering, takesEmpty } = this;
    const { pits, starts, positions } = numbering;
    const others = stones - own;
    const rows = this.rows[others];
    const sowings = this.sowings[others];
    const passed = sowings.passed.slice(0, own).map((ranks, count) => {
      const start = starts[stones - 1][others + count];
      const width = numbering.rows(own - 1 - count);
      const target = ranks.slice();
      for (let rank = 0; rank < target.length; rank++) target[rank] = start + target[rank] * width;
      return target;
    });
    const width = numbering.rows(own - 1);
    const captured = sowings.cleared.map((ranks, pit) => {
      const target = ranks.slice();
      for (let rank = 0; rank < target.length; rank++) {
        const taken = rows[rank * pits + pit];
        const nothing = taken === 0 && !takesEmpty;
        target[rank] = nothing
          ? positions
          : starts[stones - 1 - taken][others - taken] + target[rank] * width;
      }
      return target;
    });
    return { passed, captured };
  }

  /**
   * Sets `bounds`, for each of the opponent's rows, to the least that the opponent gets after any
   * of the mover's moves that reach the store; returns how many moves do not pass the last pit.
   */
  #boundLine(rank, stones, own, targets, bounds) {
    const { numbering, shares, after } = this;
    const { pits } = numbering;
    const rows = this.rows[own];
    const row = rank * pits;
    let staying = 0;
    bounds.fill(NO_BOUND);
    for (let pit = 0; pit < pits; pit++) {
      if (rows[row + pit] === 0) continue;
      const last = pit + rows[row + pit];
      for (let at = 0; at < pits; at++) {
        after[at] = rows[row + at] + (at > pit && at <= last ? 1 : 0);
      }
      after[pit] = 0;
      if (last < pits) {
        staying++;
        if (rows[row + last] > 0) continue;
        after[last] = 0;
        lower(bounds, shares, targets.captured[pits - 1 - last], numbering.rank(after));
      } else if (last === pits) {
        const line = numbering.line(stones - 1, own - 1, numbering.rank(after));
        lowerAfterExtraMove(bounds, shares, line, stones - 1);
      } else if (last <= 2 * pits) {
        lower(bounds, shares, targets.passed[last - pits], numbering.rank(after));
      }
    }
    return staying;
  }

  /** Reads the shares of a line, each by asking about candidates from the bound up. */
  #decodeLine(line, stones, hasAbove, staying, bounds) {
    const { shares, chances, code, differences, numbering } = this;
    const kinds = differences * differences;
    // Where neighbours and candidate are the same.
    const equal = numbering.stones * (differences + 1);
    const first = staying * kinds + equal;
    const later = numbering.pits * kinds + equal;
    const unbounded = later + kinds;
    const columns = bounds.length;
    let { range, value, taken } = this;
    let left = hasAbove ? shares[line - columns] : stones >> 1;
    for (let index = line; index < line + columns; index++) {
      const above = hasAbove ? shares[index - columns] : left;
      const neighbours = left * differences + above;
      const bound = bounds[index - line];
      let candidate = 0;
      let kind = unbounded;
      if (bound <= stones) {
        candidate = stones - bound;
        kind = first;
      }
      while (candidate < stones) {
        const context = kind + neighbours - candidate * (differences + 1);
        const chance = chances[context];
        const part = Math.imul(range >>> CHANCE_BITS, chance);
        if (value < part) {
          chances[context] = chance + ((CERTAIN - chance) >> RATE);
          range = part;
          while (range < SMALL_RANGE) {
            range <<= 8;
            // Behind the end of a wrong code there are zeros.
            value = (value << 8) | code[taken++];
          }
          break;
        }
        chances[context] = chance - (chance >> RATE);
        range = (range - part) | 0;
        value = (value - part) | 0;
        while (range < SMALL_RANGE) {
          range <<= 8;
          value = (value << 8) | code[taken++];
        }
        candidate++;
        if (kind < later) kind = later;
      }
      shares[index] = candidate;
      left = candidate;
    }
    this.range = range;
    this.value = value;
    this.taken = taken;
  }
}

/** Lowers bounds to what a move says that leads to `targets` and leaves the mover a row. */
function lower(bounds, shares, targets, rank) {
  for (let column = 0; column < bounds.length; column++) {
    const less = shares[targets[column] + rank] - bounds[column];
    // Without a branch, which nobody could predict.
    bounds[column] += less & (less >> 31);
  }
}

/** Lowers bounds to what an extra move says that leads to `line`, where fewer stones are left. */
function lowerAfterExtraMove(bounds, shares, line, stones) {
  for (let column = 0; column < bounds.length; column++) {
    const less = stones - shares[line + column] - bounds[column];
    bounds[column] += less & (less >> 31);
  }
}
