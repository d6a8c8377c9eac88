// Runs scenarios on real pynenc (test/lab/README.md): `npm run lab -- --store redis --release 0.4.0 --scenario killed`, or `--core` for the short run.
// With --wheel the program under test is the wheel, installed into the environment of the app.
// `record <scenario>` keeps the stores that its scenarios leave in test/fixtures/lab/, or in the folder of --out.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildWheel } from "./wheel.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: "string", default: "" },
    release: { type: "string", default: "" },
    scenario: { type: "string", multiple: true, default: [] },
    out: { type: "string" },
    core: { type: "boolean", default: false },
    wheel: { type: "boolean", default: false },
  },
});

const [mode, ...names] = positionals;
const records = mode === "record" && names.length === 1;
if ((mode !== undefined || values.out !== undefined) && !records) {
  process.stderr.write(
    "Usage: npm run lab -- --scenario <name>, or npm run lab:record -- <scenario> [--out <folder>]\n",
  );
  process.exit(2);
}

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const args = [vitest, "run", "--config", "test/lab/vitest.config.ts", ...values.scenario, ...names];
const env = {
  ...process.env,
  LAB_STORE: values.store,
  LAB_RELEASE: values.release,
  LAB_CORE: values.core ? "1" : "",
  LAB_WHEEL: values.wheel ? buildWheel(join(root, "dist", "python"))[0] : "",
  LAB_RECORD: records ? resolve(values.out ?? join(root, "test", "fixtures", "lab")) : "",
};
const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" });
process.exitCode = status ?? 1;
