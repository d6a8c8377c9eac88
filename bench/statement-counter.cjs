/**
 * Loaded into a monitor before it starts (`node --require`): writes one byte into the file of the environment variable BENCH_STATEMENTS for every
 * statement that SQLite runs for it, in whichever thread, so that its size is their number. The thread that follows the history in the background is
 * left out, and so are pragmas.
 */
const { openSync, writeSync } = require("node:fs");

const isFollower = process.argv[1]?.includes("rollup-worker");
const counted = openSync(process.env.BENCH_STATEMENTS, "a");
const load = process.dlopen;
process.dlopen = function (module, ...rest) {
  load.call(this, module, ...rest);
  const statements = module.exports.Statement?.prototype;
  for (const name of ["get", "all", "run", "iterate"]) {
    const run = statements?.[name];
    if (typeof run !== "function") continue;
    statements[name] = function (...args) {
      if (!isFollower && !/^\s*PRAGMA/i.test(this.source)) writeSync(counted, ".");
      return run.apply(this, args);
    };
  }
};
