/**
 * Defects of the monitor that were logged while a test ran: a page may answer, or a test may not look at what it answers, and something has
 * gone wrong all the same. test/setup.ts fails the test, unless it said that it expects one.
 */
import type { Readable } from "node:stream";

let logged: string[] = [];
let expected: RegExp[] = [];

/** How a defect begins in the log of a server, and what a command says of one. */
const LOGGED = /^\s*(?:\[error\]|ERROR)\s|This is a bug in the monitor;/;

export function defectLogged(text: string): void {
  logged.push(text);
}

/** The test that runs makes the monitor fail: one defect of which the log says this. */
export function expectDefect(pattern: RegExp): void {
  expected.push(pattern);
}

/** Takes defects from what a monitor said on stderr, in whole lines. */
export function defectsIn(stderr: string): void {
  for (const line of stderr.split("\n")) if (LOGGED.test(line)) defectLogged(line);
}

/** Listens to what a spawned monitor says on stderr; call it before anything is said. */
export function watchForDefects(stderr: Readable): void {
  let rest = "";
  stderr.on("data", (text: string | Buffer) => {
    const said = rest + String(text);
    const end = said.lastIndexOf("\n") + 1;
    rest = said.slice(end);
    defectsIn(said.slice(0, end));
  });
}

/** What was logged and not expected, and what was expected and not logged; forgets both. */
export function settleDefects(): string[] {
  const open = [...expected];
  const unexpected = logged.filter((text) => {
    const at = open.findIndex((pattern) => pattern.test(text));
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
  logged = [];
  expected = [];
  return [
    ...unexpected.map((text) => `The monitor logged a defect: ${text}`),
    ...open.map((pattern) => `No defect was logged that says ${pattern}.`),
  ];
}
