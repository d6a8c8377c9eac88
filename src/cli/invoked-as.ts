import { basename } from "node:path";

/**
 * How to run this program, for the commands in hints: `monitor` if it is installed, `npx pynenc-monitor` if npx fetched it. (`npx monitor` is
 * another package.)
 *
 * @param script path of the program as it was run, `process.argv[1]`
 */
export function invokedAs(script = process.argv[1] ?? "", env: NodeJS.ProcessEnv = process.env): string {
  // npx runs the package through a link named after it, and sets npm's variables.
  return env.npm_command === "exec" && basename(script).startsWith("pynenc-monitor") ? "npx pynenc-monitor" : "monitor";
}
