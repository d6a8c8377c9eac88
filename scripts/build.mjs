// Bundles to dist/: the program with one chunk per command, the workers of the stores, the browser modules, and the measurements.
// The program is bundled with the packages it uses, so that installing it fetches one package, and starting it resolves and reads a dozen
// files instead of some two hundred (docs/decisions/0001-bundled-program.md). Their licences go into dist/THIRD-PARTY-LICENSES.txt.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { viteDynamicImportVarsPlugin, viteImportGlobPlugin } from "rolldown/experimental";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const assets = join(root, "templates", "assets");
/** With --dev: source maps, and nothing is shortened. */
const dev = process.argv.includes("--dev");
/** Functions and classes keep their names, so that the stack of a defect can be read. */
const minify = dev ? false : { compress: true, mangle: { keepNames: true }, codegen: true };

rmSync(dist, { recursive: true, force: true });

const program = await bundle(
  {
    platform: "node",
    input: {
      "src/cli/program": join(root, "src/cli/program.ts"),
      "src/stores/sqlite/lane-worker": join(root, "src/stores/sqlite/lane-worker.ts"),
      "src/stores/redis/session-worker": join(root, "src/stores/redis/session-worker.ts"),
      "src/stores/mongodb/session-worker": join(root, "src/stores/mongodb/session-worker.ts"),
      "src/services/rollups/rollup-worker": join(root, "src/services/rollups/rollup-worker.ts"),
      // Programs of the tests write to stores in processes of their own.
      "src/stores/sqlite/file/driver": join(root, "src/stores/sqlite/file/driver.ts"),
    },
    // The first two: modules of commands are imported by the names of questions, and pages by theirs.
    plugins: [
      viteDynamicImportVarsPlugin(),
      viteImportGlobPlugin(),
      withoutUnused(),
      withoutSchemaValidator(),
      urlOfNode(),
      builtinsOnDemand(),
    ],
  },
  {
    dir: dist,
    chunkFileNames: "src/chunks/[name]-[hash].js",
    sourcemap: dev,
    minify,
  },
);

// Measurements use packages as npm puts them: they are of this repository and not published.
await bundle(
  {
    platform: "node",
    external: /^[a-z@][^:]*$/i,
    // Pages are imported by their names (src/http/page-route.tsx).
    plugins: [viteDynamicImportVarsPlugin(), viteImportGlobPlugin()],
    input: Object.fromEntries(
      [
        "run",
        "rollups",
        "actions",
        "clients",
        "compare",
        "events",
        "find",
        "health-probe",
        "logs",
        "peers",
        "server",
        "soak",
        "soak-writer",
        "trace",
        "timeline",
        "timeline-browser",
        "verdicts",
      ].map((name) => [name, join(root, "bench", `${name}.ts`)]),
    ),
  },
  { dir: join(dist, "bench"), sourcemap: dev },
);

// theme-early.js is a classic script: it imports nothing, so its bundle holds neither import nor export.
for (const name of ["main", "theme-early"]) {
  await bundle(
    { platform: "browser", input: { [`templates/client/${name}`]: join(root, `templates/client/${name}.ts`) } },
    { dir: dist, minify },
  );
}

mkdirSync(join(dist, "templates", "assets"), { recursive: true });
for (const icon of ["icon.svg", "icon-alert.svg"]) {
  copyFileSync(join(assets, icon), join(dist, "templates", "assets", icon));
}
writeFileSync(
  join(dist, "templates", "assets", "app.css"),
  withoutComments(withImports(join(assets, "css", "app.css"))),
);
// A timeline that is saved as a file holds these rules, without layers: programs that draw SVG may not know them.
writeFileSync(
  join(dist, "templates", "assets", "timeline.css"),
  withoutComments(readFileSync(join(assets, "css", "timeline.css"), "utf8")),
);
// What assistants can read up (src/cli/mcp/documents.ts).
const READ_BY_ASSISTANTS = ["agents", "changing-data", "commands", "compare", "exports", "statistics", "verdicts"];
mkdirSync(join(dist, "docs"), { recursive: true });
for (const name of READ_BY_ASSISTANTS) {
  copyFileSync(join(root, "docs", `${name}.md`), join(dist, "docs", `${name}.md`));
}
const { resolve } = createRequire(import.meta.url);
const scripts = { "idiomorph.js": "idiomorph/dist/idiomorph.min.js" };
for (const [name, path] of Object.entries(scripts))
  copyFileSync(resolve(path), join(dist, "templates", "assets", name));

const bundled = packagesOf([
  ...program.flatMap((chunk) => Object.keys(chunk.modules ?? {})),
  ...Object.values(scripts).map((path) => resolve(path)),
]);
writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), licencesOf(bundled));
writeFileSync(join(dist, "sbom.cdx.json"), `${JSON.stringify(billOfMaterials(bundled), null, 1)}\n`);

async function bundle(input, output) {
  const build = await rolldown({ cwd: root, ...input });
  const written = await build.write({ format: "esm", entryFileNames: "[name].js", ...output });
  await build.close();
  return written.output;
}

/** Browsers and saved drawings need none; no string of ours holds what begins one. */
function withoutComments(css) {
  return dev ? css : css.replace(/[ \t]*\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/[ \t]*\n?/g, "").replace(/\n{2,}/g, "\n");
}

/** A stylesheet with the files that it imports in their place, so that a page asks for one. */
function withImports(path) {
  return readFileSync(path, "utf8").replace(/^@import "(.+)" layer\((\w+)\);$/gm, (_, file, layer) => {
    const text = readFileSync(join(dirname(path), file), "utf8");
    return `@layer ${layer} {\n${text}}\n`;
  });
}

/**
 * What is never reached: what listhen brings for development servers (certificates, tunnels, WebSockets, a clipboard, a file watcher), and what the
 * client of Redis brings to be measured.
 */
function withoutUnused() {
  const unused = /^(node-forge|untun|tinyclip|jiti|crossws\/.*|@parcel\/watcher(-wasm)?|@opentelemetry\/api)$/;
  return {
    name: "without-unused",
    resolveId: (id) => (unused.test(id) ? { id: `\0unused:${id}`, moduleSideEffects: false } : null),
    load: (id) => (id.startsWith("\0unused:") ? "export default undefined;" : null),
  };
}

/** The agent interface checks its input with zod; what it brings for JSON Schemas that a client asks users with is never reached, and is 120 kB. */
function withoutSchemaValidator() {
  const shims = "@modelcontextprotocol/server/_shims";
  return {
    name: "without-schema-validator",
    resolveId: (id) => (id === shims ? { id: `\0${shims}`, moduleSideEffects: false } : null),
    load: (id) =>
      id === `\0${shims}`
        ? 'export { default as process } from "node:process";\nexport class DefaultJsonSchemaValidator {}'
        : null,
  };
}

/** The driver of MongoDB reads addresses with a library for programs without Node's own URL: 300 kB, most of it a table of all scripts. */
function urlOfNode() {
  const library = "whatwg-url";
  return {
    name: "url-of-node",
    resolveId: (id) => (id === library ? { id: `\0${library}`, moduleSideEffects: false } : null),
    load: (id) => (id === `\0${library}` ? 'export { URL, URLSearchParams } from "node:url";' : null),
  };
}

/**
 * `import ... from "node:http"` reads every export of the module, and one of them is a getter that loads all of undici: 40 ms on Node 22 and
 * newer. Taken from `process.getBuiltinModule` only what is used is read.
 */
function builtinsOnDemand() {
  const named = {
    "node:http": ["createServer", "request", "Agent", "STATUS_CODES", "METHODS", "IncomingMessage", "ServerResponse"],
  };
  return {
    name: "builtins-on-demand",
    resolveId: (id) => (id in named ? { id: `\0builtin:${id}`, moduleSideEffects: false } : null),
    load(id) {
      const name = id.startsWith("\0builtin:") ? id.slice("\0builtin:".length) : null;
      if (name === null) return null;
      const module = `process.getBuiltinModule(${JSON.stringify(name)})`;
      return `export const { ${named[name].join(", ")} } = ${module};\nexport default ${module};`;
    },
  };
}

/** Folder and manifest of every package of which something was bundled. */
function packagesOf(files) {
  const folders = new Set(
    files.map((file) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0]).filter(Boolean),
  );
  return [...folders]
    .sort()
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }));
}

function licencesOf(packages) {
  const texts = packages.map(({ folder, name, version, license }) => {
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : "No licence file."}\n`;
  });
  return `pynenc-monitor contains code of the packages below.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** The same packages for programs, as CycloneDX 1.6: nothing that is installed beside the program would name them to an audit. */
function billOfMaterials(packages) {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const component = (type, { name, version, license }) => ({
    type,
    "bom-ref": `${name}@${version}`,
    name,
    version,
    licenses: [{ expression: license }],
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  });
  const components = packages.map((manifest) => component("library", manifest));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("application", own) },
    components,
    dependencies: [
      { ref: `${own.name}@${own.version}`, dependsOn: components.map((one) => one["bom-ref"]) },
      ...components.map((one) => ({ ref: one["bom-ref"] })),
    ],
  };
}

// From the commands of the program that has just been built.
await import("./man-page.mjs");
