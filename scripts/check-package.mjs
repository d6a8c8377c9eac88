// Packs what would be published, installs it into an empty folder as a user would, and looks at what came: node scripts/check-package.mjs
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-package-"));
const problems = [];

const NEEDED = [
  "bin/monitor.js",
  "dist/src/cli/program.js",
  "dist/src/stores/sqlite/lane-worker.js",
  "dist/src/stores/redis/session-worker.js",
  "dist/templates/assets/app.css",
  "dist/templates/assets/idiomorph.js",
  "dist/templates/client/main.js",
  "dist/THIRD-PARTY-LICENSES.txt",
  "CHANGELOG.md",
  "README.md",
  "LICENSE",
];
const UNWANTED = /\.map$|\.node$|^(src|templates|test|bench|scripts|docs)\/|^dist\/(bench|test)\//;
/** Of everything in the package, other people's code included. */
const MOST_BYTES = 3_700_000;

function npm(...args) {
  const shell = process.platform === "win32";
  return execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
    shell,
  });
}

function filesOf(path) {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile());
}

try {
  const packed = JSON.parse(npm("pack", root, "--json", "--ignore-scripts", `--pack-destination=${folder}`));
  const [{ filename, files, unpackedSize }] = Array.isArray(packed) ? packed : Object.values(packed);
  const paths = files.map((file) => file.path);
  problems.push(...NEEDED.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`));
  problems.push(...paths.filter((path) => UNWANTED.test(path)).map((path) => `${path} should not be published`));
  if (unpackedSize > MOST_BYTES) problems.push(`${unpackedSize} bytes unpacked, more than ${MOST_BYTES}`);

  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const started = performance.now();
  npm("install", "--ignore-scripts", join(folder, filename));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);

  const modules = join(folder, "node_modules");
  const manifests = filesOf(modules).filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  for (const manifest of manifests) {
    const { name, scripts = {}, gypfile } = JSON.parse(readFileSync(manifest, "utf8"));
    const install = ["preinstall", "install", "postinstall"].filter((script) => script in scripts);
    if (install.length > 0 || gypfile || existsSync(join(dirname(manifest), "binding.gyp")))
      problems.push(`${name} runs or builds something when it is installed`);
  }
  const native = filesOf(modules).filter((file) => file.endsWith(".node"));
  problems.push(...native.map((file) => `${relative(modules, file)} is a native module`));

  problems.push(...(await tried(join(modules, "pynenc-monitor", "bin", "monitor.js"))));
  console.log(
    `Package: ${(unpackedSize / 1e6).toFixed(2)} MB unpacked, ${manifests.length} package${manifests.length === 1 ? "" : "s"} installed in ${seconds} s.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Runs what a newcomer would. Node 20 needs a library that is not part of the package, and has to say so. */
async function tried(bin) {
  const found = [];
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [printed] = run(bin, ["--version"]);
  if (printed.trim() !== version) found.push(`--version says ${printed.trim()}`);
  const db = join(folder, "demo.db");
  const [out, code, said] = run(bin, ["demo", "--no-serve", "--db", db]);
  if (Number(process.versions.node.split(".")[0]) < 22) {
    if (code !== 4 || !said.includes("better-sqlite3 is not installed")) found.push(`demo on Node 20: ${code} ${said}`);
    return found;
  }
  if (code !== 0 || out.trim() !== db) found.push(`demo: ${code} ${said}`);
  const [status, statusCode] = run(bin, ["status", "--db", db, "--app", "demo-shop", "--json"]);
  if (statusCode !== 0 || !(JSON.parse(status).invocations > 0)) found.push(`status: ${statusCode} ${status}`);
  const server = spawn(process.execPath, [bin, "serve", "--db", db, "--app", "demo-shop", "--port", "auto"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const address = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
    for (const path of ["/", "/invocations/", "/invocations/timeline", "/assets/idiomorph.js", "/health"]) {
      const answer = await fetch(new URL(path, address));
      if (answer.status !== 200) found.push(`${path}: ${answer.status}`);
    }
  } finally {
    server.kill("SIGTERM");
  }
  return found;
}

function run(bin, args) {
  try {
    return [
      execFileSync(process.execPath, [bin, ...args], {
        encoding: "utf8",
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
      }),
      0,
      "",
    ];
  } catch (error) {
    return [error.stdout, error.status, error.stderr];
  }
}
