#!/usr/bin/env node
// Native modules crash instead of failing on a Node they were not built for, so the version is checked before anything is loaded.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major !== 20 || minor < 19) {
  process.stderr.write(
    `pynenc-monitor runs on Node 20.19 or newer 20.x; this is ${process.version} (${process.execPath}).\n`,
  );
  process.exit(1);
}
const { main } = await import("../dist/src/cli/program.js");
await main(process.argv.slice(2));
