/** The documents of the repository: what comments and texts cite exists, down to the numbered chapter, and links between documents lead somewhere. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VerdictCode } from "../src/api/verdicts.ts";
import { createProgram } from "../src/cli/program.ts";
import { allRoutes } from "../src/http/routes/all.ts";
import { METRICS } from "../src/presentation/metrics.ts";
import { openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { copyFixture, FIXTURE_NAMES, type FixtureName, temporaryFolder } from "./support/fixtures.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where documents are cited, besides the documents at the root. */
const FOLDERS = ["bin", "src", "templates", "test", "scripts", "bench", "docs"];
const ROOT_DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

const TEXT = [".ts", ".tsx", ".js", ".mjs", ".css", ".md", ".txt"];

/** Data of real programs, which say what they like. */
const FIXTURES = join("test", "fixtures");

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter(
      (file) => TEXT.includes(extname(file)) && !file.startsWith(FIXTURES) && statSync(join(ROOT, file)).isFile(),
    );
}

const FILES = [...ROOT_DOCUMENTS, ...FOLDERS.flatMap(filesBelow)];
const DOCUMENTS = FILES.filter((file) => file.endsWith(".md"));

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Without the blocks in which characters are shown and not written. */
function prose(file: string): string {
  return textOf(file).replace(/^```[\s\S]*?^```/gm, "");
}

/** Path of a document that is cited by its name, or by its path from the root, from `docs` or from the citing file. */
function documentOf(name: string, citing: string): string | undefined {
  const bases = ["", "docs", dirname(citing), join("docs", "decisions")];
  return bases.map((base) => join(base, name)).find((path) => existsSync(join(ROOT, path)));
}

interface Citation {
  file: string;
  document: string;
  chapters: string[];
}

/** `storage-format.md 3.2 to 3.6, 7.4`, also where a comment goes on in its next line. A number is one of a chapter only right behind the name. */
function citationsIn(file: string): Citation[] {
  const joined = textOf(file).replace(/\s*\n\s*(?:\*(?!\/)|\/\/|--|#)?\s*/g, " ");
  return [
    ...joined.matchAll(
      /(?<![\w*/.-])([\w./-]*\w\.md)\b`?((?:,? (?:(?:and|to|chapter|chapters) )?\d+(?:\.\d+)*(?![\w-]))*)/g,
    ),
  ].map(([, document = "", numbers = ""]) => ({ file, document, chapters: numbers.match(/\d+(?:\.\d+)*/g) ?? [] }));
}

/** Numbers of the headings of a document: `## 7. Writing`, `### 7.4 Running a call again`. */
function chaptersOf(document: string): ReadonlySet<string> {
  return new Set([...prose(document).matchAll(/^#{2,6} (\d+(?:\.\d+)*)\.? /gm)].map(([, number = ""]) => number));
}

/** What GitHub makes of headings in addresses. */
function anchorsOf(document: string): ReadonlySet<string> {
  const slugs = [...prose(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
  return new Set(slugs);
}

/** Targets of links and pictures that lie in the repository. */
function linksIn(document: string): string[] {
  const text = prose(document).replace(/`[^`\n]*`/g, "");
  const written = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset|href)="([^"\s]+)"/g)];
  return written.map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

describe("citations of documents in comments and texts", () => {
  const all = FILES.flatMap(citationsIn);

  it("are recognised by this test", () => {
    const cited = all.filter(({ document, chapters }) => document === "storage-format.md" && chapters.length > 0);
    expect(cited.length).toBeGreaterThan(100);
  });

  it("name documents and chapters that exist", () => {
    const missing = all.flatMap(({ file, document, chapters }) => {
      const path = documentOf(document, file);
      if (path === undefined) return [`${file}: ${document}`];
      const known = chapters.length === 0 ? new Set<string>() : chaptersOf(path);
      return chapters.filter((chapter) => !known.has(chapter)).map((chapter) => `${file}: ${document} ${chapter}`);
    });
    expect(missing).toEqual([]);
  });
});

describe("links in documents", () => {
  it("lead to files and headings of the repository", () => {
    const links = DOCUMENTS.flatMap((document) => linksIn(document).map((target) => ({ document, target })));
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(({ document, target }) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? document : relative(ROOT, join(ROOT, dirname(document), decodeURIComponent(path)));
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !anchorsOf(file).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe("paths in documents", () => {
  it("are those of existing files and folders", () => {
    // The changelog may name what has gone.
    const current = DOCUMENTS.filter((document) => document !== "CHANGELOG.md");
    const paths = current.flatMap((document) =>
      [...prose(document).matchAll(/`((?:src|templates|test|bench|scripts|docs)\/[\w./-]*)`/g)].map(
        ([, path = ""]) => ({
          document,
          path,
        }),
      ),
    );
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe("numbered chapters", () => {
  it.each(DOCUMENTS)("of %s have each number once", (document) => {
    const numbers = [...prose(document).matchAll(/^#{2,6} (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => number);
    expect(numbers).toEqual([...new Set(numbers)]);
  });
});

/** A chapter of a document with its sections, as text. */
function chapterOf(document: string, number: string): string {
  const text = textOf(document);
  const start = text.search(new RegExp(`^## ${number}\\. `, "m"));
  const length = text.slice(start + 1).search(/^## /m);
  return text.slice(start, length < 0 ? undefined : start + 1 + length);
}

/** Columns of every table of a real file, as `table.column`; names of tables begin with the component. */
function columnsOf(fixture: FixtureName): { table: string; column: string }[] {
  const folder = temporaryFolder();
  const db = openDatabase(copyFixture(fixture, folder.path), { mode: "read" });
  try {
    return db
      .prepare(
        `SELECT m.name AS name, c.name AS column FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
      )
      .all()
      .map(({ name, column }) => ({
        table: String(name).replace(/^.*__(?=(?:broker|orchestrator|state_backend|client|trg)_)/, ""),
        column: String(column),
      }));
  } finally {
    db.close();
    folder.remove();
  }
}

describe("storage-format.md", () => {
  const described = new Set(chapterOf("docs/storage-format.md", "3").match(/[a-z]\w*/gi));

  it.each(FIXTURE_NAMES)("names every table and column of %s", (fixture) => {
    const columns = columnsOf(fixture);
    expect(columns.length).toBeGreaterThan(60);
    expect(columns.filter(({ table, column }) => !described.has(table) || !described.has(column))).toEqual([]);
  });
});

/** `GET /events/*`: the method and the path without names of parameters. */
function routeOf(method: string, path: string): string {
  const nameless = path.replace(/\?.*$/, "").replace(/\{\w+\}|<\w+>|\*\*:\w+|:\w+/g, "*");
  return `${method} ${nameless}`;
}

/** The addresses in the first column of the tables of a chapter. */
function addressesIn(chapter: string): { method: string | undefined; path: string }[] {
  return [...chapter.matchAll(/^\| ?((?:GET |POST )?`.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\/[^`]*)`/g)].map(([, path = ""]) => ({ method: cell.match(/^(GET|POST) /)?.[1], path })),
  );
}

describe("addresses in documents", () => {
  const routes = new Set(allRoutes({ dev: true }).map(({ method, path }) => routeOf(method, path)));

  it("of behaviour.md exist", () => {
    const promised = addressesIn(chapterOf("docs/behaviour.md", "3"));
    expect(promised.length).toBeGreaterThan(45);
    expect(promised.filter(({ method, path }) => !routes.has(routeOf(method ?? "", path)))).toEqual([]);
  });

  it("of actions exist, for the preview and for the action", () => {
    const actions = addressesIn(textOf("docs/changing-data.md"));
    expect(actions.length).toBeGreaterThan(10);
    const missing = ["GET", "POST"].flatMap((method) =>
      actions.map(({ path }) => routeOf(method, path)).filter((route) => !routes.has(route)),
    );
    expect(missing).toEqual([]);
  });
});

/** Commands in the blocks of documents, without comments: `monitor rerun bc0a5257 --queue mail`. */
function commandsIn(document: string): string[] {
  return [...textOf(document).matchAll(/^```console\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map(
      (line) =>
        line.replace(/\s+#.*$/, "").match(/(?:^\$ |\| )(?:monitor|npx pynenc-monitor) (?<rest>.*)$/)?.groups?.rest,
    )
    .filter((rest) => rest !== undefined);
}

describe("commands in documents", () => {
  const program = createProgram();
  const globals = program.options.map((option) => option.long);

  it.each(["README.md", "docs/commands.md", "docs/changing-data.md", "docs/redis-and-rabbitmq.md", "docs/metrics.md"])(
    "of %s and their options exist",
    (document) => {
      const commands = commandsIn(document);
      expect(commands.length).toBeGreaterThan(2);
      const unknown = commands.filter((line) => {
        const command = program.commands.find((one) => one.name() === line.split(" ")[0]);
        const options = [...globals, ...(command?.options.map((option) => option.long) ?? [])];
        const used = line.match(/(?<= )--[a-z-]+/g) ?? [];
        return command === undefined || used.some((flag) => !options.includes(flag));
      });
      expect(unknown).toEqual([]);
    },
  );
});

describe("docs/verdicts.md", () => {
  const text = textOf("docs/verdicts.md");
  it.each(VerdictCode.options.map((code) => [code]))("has %s", (code) => {
    expect(text).toContain(`\`${code}\``);
  });
});

describe("docs about metrics", () => {
  const told = textOf("docs/metrics.md");

  it.each(METRICS)("explain $name with its labels", ({ name, type, help, labels }) => {
    const row = told.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    const cells = row?.split("|").map((cell) => cell.trim());
    expect(cells?.slice(2, 5)).toEqual([type, labels.map((label) => `\`${label}\``).join(", "), help]);
  });

  it.each(["docs/metrics.md", "docs/monitoring/alerts.yml", "docs/monitoring/grafana-dashboard.json"])(
    "name in %s only metrics that the monitor has",
    (file) => {
      const text = textOf(file);
      const named = [...text.matchAll(/\b(?:pynenc|process)_[a-z_]+(?=[{[`)\s"]|\\")/g)].map(([name]) => name);
      expect(named.length).toBeGreaterThan(8);
      const names = METRICS.flatMap(({ name, type }) =>
        type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      );
      expect([...new Set(named)].filter((name) => !names.includes(name))).toEqual([]);
    },
  );
});

describe("the table of scenarios of the lab", () => {
  it("names every scenario, with the stores and releases that its file names", () => {
    const folder = join(ROOT, "test", "lab", "scenarios");
    const files = readdirSync(folder).filter((name) => name.endsWith(".lab.ts"));
    const variant = ([, store = "", version]: RegExpMatchArray) => `${store.toLowerCase()} ${version}`;
    const written = files.sort().map((name) => {
      const found = [
        ...readFileSync(join(folder, name), "utf8").matchAll(/\["(sqlite|redis|rabbitmq)", "([\d.]+)"\]/g),
      ];
      return [name.slice(0, -".lab.ts".length), [...new Set(found.map(variant))].sort()];
    });
    const table = [
      ...readFileSync(join(ROOT, "test", "lab", "README.md"), "utf8").matchAll(/^\| `(\S+)` \| [^|]+ \| ([^|]+) \|$/gm),
    ];
    const named = table.filter(([, name]) => files.includes(`${name}.lab.ts`));
    expect(
      named.map(([, name, also = ""]) => [
        name,
        [...also.matchAll(/(SQLite|Redis|RabbitMQ) ([\d.]+)/g)].map(variant).sort(),
      ]),
    ).toEqual(written);
  });
});
