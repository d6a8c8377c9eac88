import { basename } from "node:path";

/**
 * What people type to run this program, for commands that they are told to type: `monitor` where it is installed, `npx pynenc-monitor` where npx
 * fetched it. (`npx monitor` is another package.)
 *
 * @param script path of the program as it was run, `process.argv[1]`
 */
export function invokedAs(script = process.argv[1] ?? "", env: NodeJS.ProcessEnv = process.env): string {
  // npx runs what it fetched through a link of the package's own name, and says that npm executes something.
  return env.npm_command === "exec" && basename(script).startsWith("pynenc-monitor") ? "npx pynenc-monitor" : "monitor";
}
