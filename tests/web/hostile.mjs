// Holds that the reader refuses every file of a folder, as tables that are wrong:
// hostile.mjs EXPORTED TABLE FOLDER

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [exported, name, folder] = process.argv.slice(2);
const { KalahTable, KalahTableError } = await import(pathToFileURL(join(exported, "kalah.js")));

// A view into more than the file itself.
const good = readFileSync(join(exported, name));
const around = new Uint8Array(good.length + 2);
around.set(good, 1);
KalahTable.from(around.subarray(1, good.length + 1));
KalahTable.from(Uint8Array.from(good).buffer);

let refused = 0;
for (const file of readdirSync(folder)) {
  try {
    KalahTable.from(readFileSync(join(folder, file)));
  } catch (error) {
    if (!(error instanceof KalahTableError)) throw error;
    refused++;
    continue;
  }
  throw new Error(`file ${file} was taken for a table`);
}
// A programmer's mistakes, which are no table's fault.
const mistake = (make, what) => {
  try {
    make();
  } catch (error) {
    if (error instanceof TypeError) return;
    throw error;
  }
  throw new Error(`${what} was taken for a table`);
};
for (const nothing of [undefined, null, 20, "KALAHWEB"]) {
  mistake(() => KalahTable.from(nothing), nothing);
}
// The constructor is private, as the types say.
for (const given of [[], [good], [Symbol("from"), good]]) {
  mistake(() => new KalahTable(...given), "what the constructor was given");
}
console.log(`${refused} files are refused`);
