// Packs what would be published, installs it into an empty folder as a user would, and looks at what came: node scripts/check-package.mjs
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { tryProgram } from "./try-program.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = mkdtempSync(join(tmpdir(), "pynenc monitor "));
const problems = [];
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Node 20 needs a library that is not part of the package. */
const hasSqlite = Number(process.versions.node.split(".")[0]) >= 22;

const NEEDED = [
  "bin/monitor.js",
  "dist/src/cli/program.js",
  "dist/src/stores/sqlite/lane-worker.js",
  "dist/src/stores/redis/session-worker.js",
  "dist/templates/assets/app.css",
  "dist/templates/assets/idiomorph.js",
  "dist/templates/client/main.js",
  "dist/THIRD-PARTY-LICENSES.txt",
  "dist/sbom.cdx.json",
  "CHANGELOG.md",
  "README.md",
  "LICENSE",
];
const UNWANTED = /\.map$|\.node$|^(src|templates|test|bench|scripts|docs)\/|^dist\/(bench|test)\//;
/** Of everything in the package, other people's code included. */
const MOST_BYTES = 4_500_000;

function npm(...args) {
  const shell = process.platform === "win32";
  // A shell takes the words as they are, and the folder has a blank.
  const words = shell ? args.map((word) => `"${word}"`) : args;
  return execFileSync("npm", [...words, "--no-audit", "--no-fund", "--loglevel=error"], {
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
  const manifests = filesOf(modules).filter((file) =>
    /node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(file),
  );
  for (const manifest of manifests) {
    const { name, scripts = {}, gypfile } = JSON.parse(readFileSync(manifest, "utf8"));
    const install = ["preinstall", "install", "postinstall"].filter((script) => script in scripts);
    if (install.length > 0 || gypfile || existsSync(join(dirname(manifest), "binding.gyp")))
      problems.push(`${name} runs or builds something when it is installed`);
  }
  const native = filesOf(modules).filter((file) => file.endsWith(".node"));
  problems.push(...native.map((file) => `${relative(modules, file)} is a native module`));

  problems.push(
    ...(await tryProgram([process.execPath, join(modules, "pynenc-monitor", "bin", "monitor.js")], {
      folder,
      version,
      sqlite: hasSqlite,
    })),
  );
  console.log(
    `Package: ${(unpackedSize / 1e6).toFixed(2)} MB unpacked, ${manifests.length} package${manifests.length === 1 ? "" : "s"} installed in ${seconds} s.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
