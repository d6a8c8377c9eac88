// Builds what would go to PyPI, looks at it, installs it as a user would and runs it: node scripts/check-wheel.mjs
// Skipped where there is no Python, or its packages cannot be had. Needs dist/ (npm run build).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tryProgram } from "./try-program.mjs";
import { buildWheel, pythonTools, sourceTime } from "./wheel.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const windows = process.platform === "win32";
const MOST_BYTES = 2_500_000;
// The sdist's wheel is compared too, and pip asks for the time of its files here.
process.env.SOURCE_DATE_EPOCH ??= sourceTime();
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let tools;
try {
  tools = pythonTools();
} catch {
  console.log("Wheel: skipped, there is no Python 3.10 or newer, or its packages could not be fetched.");
  process.exit(0);
}

// Blanks and letters beyond ASCII: both have broken launchers before.
const folder = mkdtempSync(join(tmpdir(), "pynenc monitor é "));
const problems = [];
try {
  const [wheel, sdist] = buildWheel(join(folder, "first"));
  const again = buildWheel(join(folder, "second"));
  for (const [index, path] of [wheel, sdist].entries())
    if (!readFileSync(path).equals(readFileSync(again[index])))
      problems.push(`${basename(path)} differs when built again`);
  const { size } = statSync(wheel);
  if (size > MOST_BYTES) problems.push(`${size} bytes, more than ${MOST_BYTES}`);

  must(join(tools, "twine"), "check", "--strict", wheel, sdist);
  // W002, equal files: modules that are left out are the same empty one each.
  must(join(tools, "check-wheel-contents"), "--ignore", "W002", wheel);
  // What pip makes of the sdist, without fetching anything.
  const flags = ["--quiet", "--disable-pip-version-check", "--no-input"];
  const offline = ["--no-index", "--no-build-isolation", "--no-deps"];
  must(join(tools, "python"), "-m", "pip", "wheel", ...flags, ...offline, "--wheel-dir", join(folder, "third"), sdist);
  if (!readFileSync(join(folder, "third", basename(wheel))).equals(readFileSync(wheel)))
    problems.push("the sdist gives another wheel");

  const environment = join(folder, "its environment");
  const programs = join(environment, windows ? "Scripts" : "bin");
  execFileSync(join(tools, "python"), ["-m", "venv", environment]);
  const started = performance.now();
  must(join(programs, "python"), "-m", "pip", "install", ...flags, "--only-binary", ":all:", wheel);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const options = { folder, version, sqlite: true };
  problems.push(...(await tryProgram([join(programs, windows ? "monitor.exe" : "monitor")], options)));
  for (const command of [[join(programs, "pynenc-monitor")], [join(programs, "python"), "-m", "pynenc_monitor"]]) {
    const { stdout } = spawnSync(command[0], [...command.slice(1), "--version"], { encoding: "utf8" });
    if (stdout?.trim() !== version) problems.push(`${command.slice(-1)} --version: ${stdout}`);
  }
  console.log(`Wheel: ${(size / 1e6).toFixed(2)} MB, installed with its Node in ${seconds} s.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function must(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) problems.push(`${basename(program)} ${args[0]}: ${error ?? `${stdout}${stderr}`}`);
}
