// Brings a fresh clone (or one after a pull) to where the program runs: dependencies, build and, for tests, a browser
// and a server for those on MongoDB. Does only what is missing, so that a second run costs a moment.
// Runs before anything is installed: Node's own modules only.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "./browser.mjs";
import { bringMongo } from "./mongodb.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
  return !error && status === 0;
}

function say(message) {
  process.stderr.write(`${message}\n`);
}

function need(done, what) {
  if (done) return;
  say(`Set-up stopped: ${what} failed. The lines above say why.`);
  process.exit(1);
}

/** Node 20 brings no SQLite; only there is better-sqlite3 built. */
const needsLibrary = Number(process.versions.node.split(".")[0]) < 22;

function installDependencies() {
  const stamp = join(root, "node_modules", ".installed-lock");
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const installed = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  if (installed === `${lock} with library` || (!needsLibrary && installed === lock)) return;
  say(
    `Installing dependencies${needsLibrary ? " (better-sqlite3 is compiled where no prebuilt one fits; that takes a minute)" : ""} ...`,
  );
  const args = ["ci", "--no-audit", "--no-fund", ...(needsLibrary ? [] : ["--ignore-scripts"])];
  need(run("npm", args, { shell: process.platform === "win32" }), "npm ci");
  writeFileSync(stamp, needsLibrary ? `${lock} with library` : lock);
}

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function build() {
  const built = statSync(join(root, "dist", "src", "cli", "program.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["src", "templates", "bench", "tsconfig.json", "package.json"].map((name) =>
    newest(join(root, name)),
  );
  if (built > Math.max(...sources)) return;
  say("Building ...");
  need(run(process.execPath, [join(root, "scripts", "build.mjs")]), "the build");
}

/** Debian's names of it, the one to prefer first: not every release has that. */
const BROWSERS = ["chromium-headless-shell", "chromium"];
/** Pages are measured in the tests, so the browser comes with the fonts that Debian recommends beside it. */
const FONTS = ["fonts-liberation", "fonts-dejavu-core"];

/** A browser for the tests that need one. Without it they are skipped by name, so failing to get one is no failure. */
function installBrowser() {
  if (findBrowser() !== null) return;
  const debian = process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (debian) {
    say("Installing Chromium for the browser tests ...");
    const install = (browser) => run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", browser, ...FONTS]);
    if (run("apt-get", ["update", "-qq"]) && BROWSERS.some(install)) return;
  }
  say("No Chromium found: browser tests will be skipped. Install it, or set CHROMIUM to its path.");
}

/** A server for the tests on MongoDB. Without it they are skipped by name, so failing to get one is no failure. */
async function installMongo() {
  if (!(await bringMongo(say)))
    say(
      "No MongoDB server: tests on it will be skipped. MongoDB is fetched on x64 Linux with dpkg; FerretDB takes Go 1.22 or newer, and its modules, to build.",
    );
}

installDependencies();
build();
if (process.argv.includes("--browser")) installBrowser();
if (process.argv.includes("--mongodb")) await installMongo();
