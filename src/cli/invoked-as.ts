import { basename } from "node:path";

/**
 * How to run this program, for the commands in hints: `monitor` if it is installed, otherwise with what fetched it: npx, uvx or pipx.
 * (`npx monitor` is another package.)
 *
 * @param script path of the program as it was run, `process.argv[1]`
 */
export function invokedAs(script = process.argv[1] ?? "", env: NodeJS.ProcessEnv = process.env): string {
  // npx runs the package through a link named after it, and sets npm's variables.
  if (env.npm_command === "exec" && basename(script).startsWith("pynenc-monitor")) return "npx pynenc-monitor";
  // Folders of the caches of uv and pipx; what they install is elsewhere.
  if (/[\\/]archive-v\d+[\\/]/.test(script)) return "uvx pynenc-monitor";
  return /[\\/]pipx\b.*[\\/][\da-f]{15}[\\/]/.test(script) ? "pipx run pynenc-monitor" : "monitor";
}
