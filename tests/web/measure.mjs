// Prints how long an exported table takes to load and a probe takes, in Node.js and in Chromium, as
// rows of a Markdown table: measure.mjs EXPORTED RUNS. Each run is a process and a browser of its
// own.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser, serve } from "./browser.mjs";

/** Positions of 12 stones with both stores, which are asked for value and best pits again and again. */
const POSITIONS = [
  [1, 0, 3, 1, 2, 1, 15, 2, 0, 0, 0, 2, 0, 21],
  [2, 0, 1, 0, 3, 0, 18, 1, 1, 0, 2, 0, 2, 18],
  [0, 0, 6, 0, 0, 1, 20, 0, 4, 0, 0, 1, 0, 16],
  [1, 1, 1, 1, 1, 1, 18, 1, 1, 1, 1, 1, 1, 18],
];

/** Milliseconds to load the bytes and microseconds a probe: runs here, and in the page by its text. */
function measure(KalahTable, bytes, positions) {
  const begun = performance.now();
  const table = KalahTable.from(bytes);
  const loaded = performance.now();
  const probes = 50_000;
  let sum = 0;
  for (let i = 0; i < probes; i++) sum += table.best(positions[i % positions.length]).value;
  const milliseconds = performance.now() - loaded;
  return { load: loaded - begun, probe: (1000 * milliseconds) / probes, sum };
}

const [exported, runs, only] = process.argv.slice(2);
const name = readdirSync(exported).find((file) => file.endsWith(".kalahweb"));

async function inNode() {
  const { KalahTable } = await import(pathToFileURL(join(exported, "kalah.js")));
  return measure(KalahTable, readFileSync(join(exported, name)), POSITIONS);
}

async function inChromium() {
  const server = await serve(exported);
  const browser = await Browser.start();
  try {
    await browser.open(`${server.address}FORMAT.md`);
    return await browser.run(
      `const [name, positions] = args;
       const { KalahTable } = await import("/kalah.js");
       const bytes = await (await fetch(name)).arrayBuffer();
       return (${measure})(KalahTable, bytes, positions);`,
      `/${name}`,
      POSITIONS,
    );
  } finally {
    await browser.close();
    server.close();
  }
}

if (only) {
  console.log(JSON.stringify(await inNode()));
} else {
  const script = fileURLToPath(import.meta.url);
  const fresh = () => JSON.parse(execFileSync("node", [script, exported, "1", "alone"]));
  for (const [where, once] of [["Node.js", fresh], ["Chromium", inChromium]]) {
    const results = [];
    for (let run = 0; run < Number(runs); run++) results.push(await once());
    const figures = (key, digits) => {
      const sorted = results.map((result) => result[key]).sort((a, b) => a - b);
      const at = (index) => sorted.at(index).toFixed(digits);
      return `${at(sorted.length >> 1)} (${at(0)} to ${at(-1)})`;
    };
    console.log(`| ${name} | ${where} | ${figures("load", 0)} ms | ${figures("probe", 1)} µs |`);
  }
}
