// Bundles to dist/: the program with one chunk per command, the worker of the SQLite store, and the browser modules. Our own files only:
// packages stay where npm puts them. Loading some two hundred small files one by one made `monitor serve` start 230 ms later.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const assets = join(root, "templates", "assets");

rmSync(dist, { recursive: true, force: true });

await bundle(
  {
    platform: "node",
    external: /^[a-z@][^:]*$/i,
    input: {
      "src/cli/program": join(root, "src/cli/program.ts"),
      "src/stores/sqlite/lane-worker": join(root, "src/stores/sqlite/lane-worker.ts"),
      // Programs of the tests write to stores in processes of their own.
      "src/stores/sqlite/driver": join(root, "src/stores/sqlite/driver.ts"),
      "bench/run": join(root, "bench/run.ts"),
      "bench/family-tree": join(root, "bench/family-tree.tsx"),
      "bench/actions": join(root, "bench/actions.ts"),
      "bench/events": join(root, "bench/events.ts"),
      "bench/logs": join(root, "bench/logs.ts"),
      "bench/trace": join(root, "bench/trace.ts"),
      "bench/timeline": join(root, "bench/timeline.ts"),
      "bench/timeline-browser": join(root, "bench/timeline-browser.ts"),
    },
  },
  { dir: dist, chunkFileNames: "src/chunks/[name]-[hash].js", sourcemap: true },
);

// theme-early.js is a classic script: it imports nothing, so its bundle holds neither import nor export.
for (const name of ["main", "theme-early"]) {
  await bundle(
    { platform: "browser", input: { [`templates/client/${name}`]: join(root, `templates/client/${name}.ts`) } },
    { dir: dist },
  );
}

mkdirSync(join(dist, "templates", "assets"), { recursive: true });
for (const name of readdirSync(assets)) {
  if (/\.(css|svg)$/.test(name)) copyFileSync(join(assets, name), join(dist, "templates", "assets", name));
}

async function bundle(input, output) {
  const build = await rolldown({ cwd: root, ...input });
  await build.write({ format: "esm", entryFileNames: "[name].js", ...output });
  await build.close();
}
