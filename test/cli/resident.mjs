/**
 * The program, loaded once for the tests of a worker: runs one command line after another, each with surroundings and streams of its own, and
 * tells what it printed. Loading is most of what a short command costs.
 */
import { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { main } from "../../dist/src/cli/program.js";

class Kept extends Writable {
  #pieces = [];

  constructor(columns) {
    super();
    if (columns !== undefined) Object.assign(this, { isTTY: true, columns });
  }

  _write(piece, _encoding, done) {
    this.#pieces.push(piece);
    done();
  }

  get text() {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
}

function surround({ cwd, env }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

process.on("message", async ({ args, columns, ...surroundings }) => {
  // The channel on which command lines come.
  const always = new Set(process.getActiveResourcesInfo());
  surround(surroundings);
  const streams = { stdout: new Kept(columns), stderr: new Kept(columns) };
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  await main(args);
  // What was written is taken in the next turns of the event loop.
  await Promise.all(Object.values(streams).map((stream) => new Promise((resolve) => stream.end(resolve))));
  // A process of its own would end when nothing is open.
  while (!process.getActiveResourcesInfo().every((resource) => always.has(resource))) await wait(1);
  process.send({ code: process.exitCode ?? 0, stdout: streams.stdout.text, stderr: streams.stderr.text });
  process.exitCode = undefined;
});
