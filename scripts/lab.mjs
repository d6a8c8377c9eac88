// Runs scenarios on real pynenc (test/lab/README.md): `npm run lab -- --store redis --release 0.4.0 --scenario killed`, or `--core` for the short run.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "" },
    release: { type: "string", default: "" },
    scenario: { type: "string", multiple: true, default: [] },
    core: { type: "boolean", default: false },
  },
});

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const args = [vitest, "run", "--config", "test/lab/vitest.config.ts", ...values.scenario];
const env = { ...process.env, LAB_STORE: values.store, LAB_RELEASE: values.release, LAB_CORE: values.core ? "1" : "" };
const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" });
process.exitCode = status ?? 1;
