/**
 * A position: the mover's pits from the mover's left, the mover's store, the opponent's pits from
 * the opponent's left, the opponent's store; or both rows of pits alone when the stores are empty.
 *
 * With 6 pits 14 or 12 whole numbers, together at most 127 stones. Anything else is a `RangeError`.
 */
export type Position = ArrayLike<number> | Iterable<number>;

/** Whether a last stone in an own empty pit stays when the facing pit is empty, or is taken too. */
export type Rules = "standard" | "empty-capture";

/** What a move leads to. */
export interface Move {
  /** The pit, from 1 at the mover's left. */
  pit: number;
  /**
   * The mover's final store minus the opponent's when both play perfectly after the move; `null`
   * when more stones are left in the pits than the table covers.
   */
  value: number | null;
  /** Whether the mover moves again. */
  extraMove: boolean;
  /** The stones captured from the facing pit. */
  captured: number;
}

/** What is wrong with a file, or with reaching it. */
export class KalahTableError extends Error {}

/** The exact values of all positions with up to so many stones in the pits. */
export class KalahTable {
  private constructor();

  /**
   * Fetches a table and reads it.
   *
   * @throws {KalahTableError} when it is not there, damaged or no table; what `fetch` throws when
   * the server cannot be reached.
   */
  static load(url: string | URL, options?: RequestInit): Promise<KalahTable>;

  /**
   * Reads the bytes of a table.
   *
   * @throws {KalahTableError} when they are damaged or no table.
   */
  static from(bytes: ArrayBuffer | ArrayBufferView): KalahTable;

  readonly rules: Rules;
  /** Pits a side. */
  readonly pits: number;
  /** The most stones in the pits that the table covers. */
  readonly stones: number;

  /**
   * The mover's final store minus the opponent's when both play perfectly; `null` when more stones
   * are in the pits than the table covers and the game is not over.
   */
  value(position: Position): number | null;

  /**
   * The value and all pits that keep it, from 1 at the mover's left, none when the game is over;
   * `null` as for `value`.
   */
  best(position: Position): { value: number; pits: number[] } | null;

  /** Every legal move, by pit; none when the game is over. */
  moves(position: Position): Move[];
}
