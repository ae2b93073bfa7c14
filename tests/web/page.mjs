// Asks the example page about positions, in a browser: page.mjs EXPORTED

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { Browser, serve } from "./browser.mjs";

const [exported] = process.argv.slice(2);
const server = await serve(exported);
const browser = await Browser.start();
try {
  await browser.open(server.address);
  await browser.until("#status", /ready after \d+ ms/);
  assert.match(await browser.text("#status"), /^Exact values of all positions with up to 12 /);

  assert.equal(
    await ask("1,0,3,1,2,1,15,2,0,0,0,2,0,21"),
    "For the player to move: a win by 2 (+2).\nBest pit: 6\nPit Value\n6 +2 moves again\n" +
      "1 −2 captures 2\n5 −2 moves again\n4 −6\n3 −12",
  );
  assert.match(await ask(" 0 0 0 0 2 1   0 1 0 0 0 0 "), /^For the player to move: a win by 2 /);
  assert.match(await ask("1,0,0,0,0,0, 2,0,0,0,0,0"), /^For the player to move: a loss by 3 /);
  assert.match(await ask("0,0,0,0,0,0,3,1,0,0,0,0,0,2"), /: a draw \(0\)\.\nThe game is over\.$/);
  assert.equal(await ask("2,2,2,2,2,2,2,0,0,0,0,0"), "The table ends at 12 stones in the pits.");
  assert.equal(await ask("1,2,x"), "No position: “x” is not a number of stones.");
  assert.match(await ask("1,2"), /^No position: a position has 14 numbers, or 12 .* not 2\.$/);

  // Nothing is served from a disk.
  await browser.open(String(pathToFileURL(join(exported, "index.html"))));
  assert.match(await browser.text("#status"), /^This page works when a web server serves it/);
  console.log("the page answers");
} finally {
  await browser.close();
  server.close();
}

async function ask(position) {
  await browser.type("#position", position);
  await browser.click("#ask button");
  return (await browser.text("#answer")).replace(/\n+/g, "\n");
}
