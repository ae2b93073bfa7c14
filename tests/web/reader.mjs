// Compares the reader's value and best pits of every position with those in the files `shares` and
// `best`: reader.mjs EXPORTED TABLE

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [exported, name] = process.argv.slice(2);
const { KalahTable } = await import(pathToFileURL(join(exported, "kalah.js")));
const read = (file) => readFileSync(join(exported, file));
const [bytes, shares, best] = [name, "shares", "best"].map(read);
const table = KalahTable.from(bytes);
const { pits } = table;

/** Calls `visit` with every row of so many stones, in lexicographic order. */
function eachRow(stones, visit, row = []) {
  if (row.length === pits - 1) return visit([...row, stones]);
  for (let pit = 0; pit <= stones; pit++) eachRow(stones - pit, visit, [...row, pit]);
}

let index = 0;
for (let stones = 0; stones <= table.stones; stones++) {
  for (let own = 0; own <= stones; own++) {
    eachRow(own, (mover) => eachRow(stones - own, (opponent) => compare(stones, mover, opponent)));
  }
}
assert.equal(index, shares.length);

function compare(stones, mover, opponent) {
  const expected = 2 * shares[index] - stones;
  const found = table.best([...mover, ...opponent]);
  const mask = found.pits.reduce((mask, pit) => mask | (1 << (pit - 1)), 0);
  if (found.value !== expected || mask !== best[index]) {
    const pits = [1, 2, 3, 4, 5, 6].filter((pit) => best[index] & (1 << (pit - 1)));
    throw new Error(
      `${mover},${opponent}: ${found.value} by ${found.pits}, not ${expected} by ${pits}`,
    );
  }
  // Stores count, whatever they are; now and then.
  if (index % 97 === 0) {
    const [own, other] = [index % 30, (index >> 3) % 30];
    const position = [...mover, own, ...opponent, other];
    assert.equal(table.value(position), expected + own - other);
    assert.deepEqual(table.best(position), { value: expected + own - other, pits: found.pits });
    for (const move of table.moves(position)) {
      assert.equal(move.value === expected + own - other, found.pits.includes(move.pit));
    }
  }
  index++;
}

// What is beyond the table is not known, but for games that are over.
const nothing = new Array(pits).fill(0);
const more = [table.stones + 1, ...nothing.slice(1)];
assert.equal(table.value([...more, ...more]), null);
assert.equal(table.best([...more, ...more]), null);
assert.deepEqual(table.best([...more, ...nothing]), { value: table.stones + 1, pits: [] });
assert.equal(table.value([...nothing, 3, ...more, 1]), 2 - (table.stones + 1));
assert.deepEqual(table.moves([...nothing, ...more]), []);

const refused = (position, reason) => assert.throws(() => table.value(position), reason);
const row = nothing;
refused([], /^RangeError: a position has \d+ numbers, or \d+ when both stores are empty, not 0$/);
refused([...row, 1, ...row], /^RangeError: a position has .* not \d+$/);
for (const wrong of [-1, 0.5, NaN, Infinity, "1", null, undefined]) {
  const position = [wrong, ...row.slice(1), ...row];
  refused(position, /^RangeError: a pit or store holds a whole number of stones, not /);
  assert.throws(() => table.best(position), RangeError);
  assert.throws(() => table.moves(position), RangeError);
}
refused([...row, 100, ...row, 28], /^RangeError: a position has at most 127 stones, not 128$/);

console.log(`${table.rules}, ${pits} pits: ${index} positions agree`);
