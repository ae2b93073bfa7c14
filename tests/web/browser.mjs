// A headless Chromium that is driven through chromedriver, by plain requests of the WebDriver
// protocol, and a server for the files of a folder.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".md": "text/plain; charset=utf-8",
  ".ts": "text/plain; charset=utf-8",
};

const CHROMIUM_ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Milliseconds after which something will never come. */
const PATIENCE = 600_000;

/** Serves the files of a folder, none below it, at the address it returns. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const name = path === "/" ? "index.html" : basename(decodeURIComponent(path));
    try {
      const body = await readFile(join(folder, name));
      const type = TYPES[extname(name)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

export class Browser {
  #driver;
  #profile;
  #session;

  /** Starts chromedriver and a browser with a profile of its own. */
  static async start() {
    const browser = new Browser();
    try {
      await browser.#start();
    } catch (error) {
      await browser.close();
      throw error;
    }
    return browser;
  }

  async #start() {
    this.#profile = await mkdtemp(join(tmpdir(), "kalah-browser-"));
    this.#driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    const port = await new Promise((found, failed) => {
      let said = "";
      this.#driver.on("error", failed);
      this.#driver.on("exit", () => failed(new Error(`chromedriver ended: ${said}`)));
      this.#driver.stdout.on("data", (text) => {
        said += text;
        const port = /started successfully on port (\d+)/.exec(said);
        if (port) found(port[1]);
      });
    });
    this.#session = `http://127.0.0.1:${port}/session`;
    const args = [...CHROMIUM_ARGUMENTS, `--user-data-dir=${this.#profile}`];
    const capabilities = { alwaysMatch: { "goog:chromeOptions": { args } } };
    const { sessionId } = await this.#send("", { capabilities });
    this.#session += `/${sessionId}`;
    await this.#send("/timeouts", { script: PATIENCE, pageLoad: PATIENCE, implicit: 0 });
  }

  /** Sends a command of the WebDriver protocol; gives its value. */
  async #send(command, body, method = "POST") {
    const response = await fetch(this.#session + command, {
      method,
      body: body && JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${command}: ${value.error}: ${value.message}`);
    return value;
  }

  open(address) {
    return this.#send("/url", { url: address });
  }

  /** Runs the body of an async function in the page; gives what it returns. */
  run(body, ...args) {
    const script =
      "const done = arguments[arguments.length - 1];" +
      `(async (...args) => { ${body} })(...arguments).then(` +
      "(value) => done({ value }), (error) => done({ error: String(error) }));";
    return this.#send("/execute/async", { script, args }).then(({ value, error }) => {
      if (error) throw new Error(error);
      return value;
    });
  }

  /** Types into what a selector finds, after what is there is deleted. */
  async type(selector, text) {
    const element = await this.#find(selector);
    await this.#send(`/element/${element}/clear`, {});
    await this.#send(`/element/${element}/value`, { text });
  }

  async click(selector) {
    await this.#send(`/element/${await this.#find(selector)}/click`, {});
  }

  /** The text that a person sees in what a selector finds. */
  async text(selector) {
    return this.#send(`/element/${await this.#find(selector)}/text`, undefined, "GET");
  }

  /** Waits until that text is like this. */
  async until(selector, pattern) {
    const end = Date.now() + PATIENCE;
    while (!pattern.test(await this.text(selector))) {
      if (Date.now() > end) throw new Error(`${selector} stays at ${await this.text(selector)}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async #find(selector) {
    const found = await this.#send("/element", { using: "css selector", value: selector });
    return Object.values(found)[0];
  }

  async close() {
    if (this.#driver?.exitCode === null && this.#session) {
      await fetch(this.#session, { method: "DELETE" }).catch(() => {});
    }
    this.#driver?.kill();
    if (this.#profile) await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
