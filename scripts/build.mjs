// Compiles to dist/: server and templates, browser modules, and the files that are served as they stand.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

rmSync(join(root, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [tsc], { cwd: root, stdio: "inherit" });
execFileSync(process.execPath, [tsc, "-p", "templates/client"], { cwd: root, stdio: "inherit" });

const assets = join(root, "templates", "assets");
const target = join(root, "dist", "templates", "assets");
mkdirSync(target, { recursive: true });
for (const name of readdirSync(assets)) {
  if (/\.(css|svg)$/.test(name)) copyFileSync(join(assets, name), join(target, name));
}
