#!/usr/bin/env node
// Checked before anything is loaded: what is loaded may use what an older Node cannot even parse. Keep in step with "engines".
import module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if ((major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24) {
  // Node 22 and newer keep compiled code in a cache of their own; the second start takes half as long.
  module.enableCompileCache?.();
  import("../dist/src/cli/program.js").then(({ main }) => main(process.argv.slice(2)));
} else {
  process.stderr.write(
    `pynenc-monitor needs Node 20.19 or a newer 20.x, 22.13 or a newer 22.x, or 24 and newer. This is ${process.version} (${process.execPath}).\n`,
  );
  process.exitCode = 1;
}
