/** The arrows of CONTRIBUTING.md: who may import whom. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** For each folder, what its files may import of ours besides their own folder. */
const MAY_IMPORT: Record<string, string[]> = {
  "src/pynenc": [],
  "src/api": ["src/pynenc", "src/log-lines/model.ts"],
  "src/config": ["src/pynenc", "src/errors.ts", "src/regular-file.ts", "src/stores/ports"],
  "src/timeline": ["src/pynenc"],
  "src/log-lines": ["src/pynenc"],
  "src/rollups": ["src/pynenc"],
  "src/audit": ["src/regular-file.ts"],
  "src/mutes": ["src/regular-file.ts"],
  "src/alarms": ["src/regular-file.ts"],
  "src/stores": ["src/pynenc", "src/errors.ts", "src/package-root.ts", "src/event-loop.ts"],
  "src/presentation": ["src/pynenc", "src/config/shell-word.ts"],
  "src/inputs": ["src/api/words.ts", "src/pynenc"],
  "src/questions": ["src/inputs", "src/api", "src/pynenc", "src/services"],
  "src/services": [
    "src/inputs",
    "src/api/words.ts",
    "src/stores",
    "src/audit",
    "src/mutes",
    "src/alarms",
    "src/pynenc",
    "src/timeline",
    "src/log-lines",
    "src/rollups",
    "src/config",
    "src/errors.ts",
    "src/regular-file.ts",
  ],
  "src/demo": [
    "src/pynenc",
    "src/errors.ts",
    // It writes what the adapters read, and registers as they do: names of keys, records and the connection are the same.
    "src/stores/redis/keys/keys.ts",
    "src/stores/redis/keys/registration.ts",
    "src/stores/redis/server/connection.ts",
    "src/stores/redis/server/db.ts",
    "src/stores/server/chunks.ts",
    "src/stores/mongodb/collections/names.ts",
    "src/stores/mongodb/server/client.ts",
    "src/stores/mongodb/server/connection.ts",
    "src/stores/sqlite/file/driver.ts",
    "src/stores/sqlite/file/connection.ts",
  ],
  "src/http": [
    "src/services",
    "src/timeline",
    "src/presentation",
    "src/pynenc",
    "src/config",
    "src/errors.ts",
    "src/package-root.ts",
    "src/event-loop.ts",
    "templates",
    // The parts of a form may be logs in another encoding.
    "src/log-lines/decoder.ts",
    "src/questions",
    "src/inputs",
    // The schemas themselves would hold up every start.
    "src/api/version.ts",
    "src/api/words.ts",
  ],
  "src/cli": [
    "src/timeline",
    "src/presentation",
    "src/services",
    "src/audit",
    "src/mutes",
    "src/alarms",
    "src/pynenc",
    "src/config",
    "src/http",
    "src/demo",
    "src/stores/ports",
    // The reading thread is started before the first page asks for it.
    "src/stores/threads/worker-threads.ts",
    // The file of the demo that goes on being written.
    "src/stores/sqlite/file/driver.ts",
    "src/stores/sqlite/file/connection.ts",
    "src/errors.ts",
    "src/package-root.ts",
    "src/regular-file.ts",
    "src/log-lines",
    "src/questions",
    "src/inputs",
    "src/api/version.ts",
    "src/api/words.ts",
  ],
  templates: ["src/api/words.ts", "src/pynenc", "src/presentation", "src/timeline"],
};

/** Types alone may be imported further: they leave nothing behind at run time. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  "src/audit": ["src/api"],
  "src/mutes": ["src/api"],
  "src/alarms": ["src/api"],
  "src/config": ["src/api"],
  "src/timeline": ["src/api"],
  "src/services": ["src/api"],
  "src/http": ["src/api"],
  "src/cli": ["src/api"],
  "src/presentation": ["src/api", "src/inputs", "src/questions", "src/services", "src/log-lines"],
  templates: ["src/api", "src/services", "src/audit", "src/log-lines", "src/stores/ports"],
};

/** Within one folder: what the files of each of its parts may import of its other parts; "." are those beside the parts. */
const PARTS: Record<string, Record<string, string[]>> = {
  "src/api": {
    model: [],
    ".": ["model"],
  },
  "src/questions": {
    model: [],
    ".": ["model"],
    derived: ["model", "."],
  },
  "src/services": {
    // Blocks
    app: [],
    input: [],
    model: ["app", "input"],
    rollups: ["app", "model"],
    // Features
    stats: ["app", "input", "model"],
    tasks: ["app", "input", "model", "stats"],
    workflows: ["app", "input", "model"],
    verdicts: ["app", "model", "stats"],
    invocations: ["app", "input", "model", "verdicts"],
    compare: ["app", "input", "model", "invocations"],
    runners: ["app", "input", "model", "stats"],
    causes: ["app", "input", "model", "invocations"],
    triggers: ["app", "input", "model", "causes"],
    timeline: ["app", "input", "model", "runners", "triggers", "invocations"],
    exports: ["app", "model", "rollups", "verdicts", "invocations", "timeline", "causes", "why"],
    logs: ["app", "input", "model", "timeline"],
    find: ["app", "input", "model", "logs", "invocations", "causes"],
    health: ["app", "input", "model", "stats", "runners", "components", "verdicts"],
    why: ["app", "input", "model", "stats", "verdicts", "invocations", "triggers", "find"],
    actions: ["app", "input", "model", "invocations", "verdicts"],
    components: ["app", "input", "model", "stats", "verdicts"],
  },
  "src/stores/redis": {
    server: [],
    keys: ["server"],
    orchestrator: ["server", "keys"],
    "state-backend": ["server", "keys", "orchestrator"],
    trigger: ["server", "keys", "orchestrator", "state-backend"],
    broker: ["server", "keys"],
    "client-data": ["server", "keys"],
    actions: ["server", "keys", "orchestrator", "state-backend", "broker", "client-data"],
    ".": ["server", "keys", "orchestrator", "state-backend", "trigger", "broker", "client-data", "actions"],
  },
  "src/stores/mongodb": {
    server: [],
    collections: ["server"],
    orchestrator: ["server", "collections"],
    "state-backend": ["server", "collections", "orchestrator"],
    trigger: ["server", "collections", "orchestrator", "state-backend"],
    broker: ["server", "collections"],
    "client-data": ["server", "collections", "state-backend"],
    actions: ["server", "collections", "orchestrator", "state-backend", "broker", "client-data"],
    ".": ["server", "collections", "orchestrator", "state-backend", "trigger", "broker", "client-data", "actions"],
  },
  "src/stores/sqlite": {
    file: [],
    calls: [],
    tables: ["file"],
    orchestrator: ["file", "calls", "tables"],
    "state-backend": ["file", "calls", "tables", "orchestrator"],
    trigger: ["file", "calls", "tables"],
    broker: ["file", "calls", "tables"],
    "client-data": ["calls", "tables"],
    actions: ["file", "calls", "tables", "orchestrator", "state-backend", "broker", "client-data"],
    ".": ["file", "calls", "tables", "orchestrator", "state-backend", "trigger", "broker", "client-data", "actions"],
  },
  "src/demo": {
    writer: [],
    story: ["writer"],
    ".": ["writer", "story"],
  },
  "templates/fragments": {
    ui: [],
    invocations: ["ui"],
    values: ["ui", "invocations"],
    facts: ["ui", "invocations", "values"],
    queue: ["ui", "facts"],
    runners: ["ui", "facts", "stats"],
    timeline: ["ui"],
    stats: ["ui", "invocations"],
    logs: ["ui", "invocations"],
    actions: ["ui", "facts"],
    health: ["ui"],
    store: ["ui"],
  },
};

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("node_modules"))
    .map((name) => join(folder, name));
}

function importsOf(file: string): { target: string; types: boolean; lazy: boolean }[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const found = [
    ...source.matchAll(
      /^(import|export)\b(\s+type\b)?[^;"']*?from\s+["'](\.[^"']+)["']|import\(\s*["'](\.[^"']+)["']\s*\)/gm,
    ),
  ];
  return found.map((match) => ({
    target: relative(ROOT, resolve(ROOT, file, "..", match[3] ?? match[4] ?? "")),
    types: match[2] !== undefined,
    lazy: match[4] !== undefined,
  }));
}

/** Groups of files each of which leads to all others of its group (Tarjan's strongly connected components). */
function circlesIn(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const found = new Map<string, { index: number; lowest: number; open: boolean }>();
  const path: string[] = [];
  const visit = (file: string) => {
    const place = { index: found.size, lowest: found.size, open: true };
    found.set(file, place);
    path.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      const other = found.get(target) ?? visit(target);
      if (other.open) place.lowest = Math.min(place.lowest, other.lowest);
    }
    if (place.lowest === place.index) {
      const circle = path.splice(path.indexOf(file));
      for (const member of circle) (found.get(member) ?? place).open = false;
      if (circle.length > 1) circles.push(circle.sort());
    }
    return place;
  };
  for (const file of targets.keys()) if (!found.has(file)) visit(file);
  return circles;
}

describe("imports in source files", () => {
  it.each(Object.keys(MAY_IMPORT))("of %s come from allowed folders only", (folder) => {
    const files = filesOf(folder).filter((file) => !file.startsWith("templates/client"));
    expect(files.length).toBeGreaterThan(0);
    const within = (target: string, allowed: readonly string[] = []) =>
      allowed.some((place) => target === place || target.startsWith(`${place}/`));
    const strays = files.flatMap((file) =>
      importsOf(file)
        .filter(
          ({ target, types }) =>
            !within(target, [
              folder,
              ...(MAY_IMPORT[folder] ?? []),
              ...(types ? (MAY_IMPORT_TYPES[folder] ?? []) : []),
            ]),
        )
        .map(({ target }) => `${file} -> ${target}`),
    );
    expect(strays).toEqual([]);
  });

  it.each(Object.entries(PARTS))("between the parts of %s follow the allowed directions", (folder, arrows) => {
    const partOf = (file: string) => {
      const [part = "", ...rest] = file.slice(folder.length + 1).split("/");
      return rest.length === 0 ? "." : part;
    };
    const files = filesOf(folder);
    expect([...new Set(files.map(partOf))].sort()).toEqual(Object.keys(arrows).sort());
    const strays = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target.startsWith(`${folder}/`))
        .filter(({ target }) => ![partOf(file), ...(arrows[partOf(file)] ?? [])].includes(partOf(target)))
        .map(({ target }) => `${file} -> ${target}`),
    );
    expect(strays).toEqual([]);
  });

  it("form no cycle of files, types included", () => {
    const files = ["src", "templates"].flatMap(filesOf);
    const targets = new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)]));
    expect([...targets.values()].flat().length).toBeGreaterThan(1_000);
    expect(circlesIn(targets)).toEqual([]);
  });

  it("of a question load its schemas and its service only when it is asked", () => {
    const files = filesOf("src/questions").filter((file) => !file.startsWith("src/questions/derived"));
    const early = files.flatMap((file) =>
      importsOf(file)
        .filter(({ types, lazy }) => !types && !lazy)
        .filter(({ target }) => !/^src\/(questions|inputs|pynenc|api\/words\.ts)/.test(target))
        .map(({ target }) => `${file} -> ${target}`),
    );
    expect(early).toEqual([]);
  });

  it("leave table names to the stores and the demo", () => {
    const spelled = ["src/pynenc", "src/config", "src/services", "src/http", "src/cli", "templates"].flatMap((folder) =>
      filesOf(folder).filter((file) =>
        /__(orchestrator|state_backend|broker|trg)_|\bSELECT\b.*\bFROM\b/.test(readFileSync(join(ROOT, file), "utf8")),
      ),
    );
    expect(spelled).toEqual([]);
  });

  it("of SQLite libraries are only in the files of their drivers", () => {
    const drivers = ["src/stores/sqlite/file/driver-better-sqlite3.ts", "src/stores/sqlite/file/driver-node.ts"];
    const naming = ["src", "templates", "bench", "test"]
      .flatMap(filesOf)
      .filter((file) =>
        /(from|import\(|require\(|getBuiltinModule\()\s*["'](better-sqlite3|node:sqlite)["']/.test(
          readFileSync(join(ROOT, file), "utf8"),
        ),
      );
    expect(naming.sort()).toEqual(drivers);
  });

  it("write members of a class that are its own with #", () => {
    // A constructor has no other way to be private.
    const other = ["src", "templates", "test", "bench", "scripts"]
      .flatMap(filesOf)
      .filter((file) => /^ +private (?!constructor\b)/m.test(readFileSync(join(ROOT, file), "utf8")));
    expect(other).toEqual([]);
  });

  it("use dangerouslySetInnerHTML nowhere", () => {
    const files = [...filesOf("templates"), ...filesOf("src/http")];
    expect(files.filter((file) => readFileSync(join(ROOT, file), "utf8").includes("dangerouslySetInnerHTML"))).toEqual(
      [],
    );
  });
});
