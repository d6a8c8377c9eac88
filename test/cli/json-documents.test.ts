/** Every command with `--json`, in each of its modes and on stores of every kind: each prints one document, which the schema that `monitor schema` prints accepts. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { registerSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QUESTIONS } from "../../src/questions/all.ts";
import { schemaList } from "../../src/questions/derived/schemas.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const log = join(folder, "worker.log");
const NOW = "2026-08-14T10:58:00";

/** How each store is made, and the options that open it. */
const STORES: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  "the demo": async () => {
    const db = join(folder, "demo.db");
    await monitor(["demo", "--no-serve", "--db", db, "--now", NOW]);
    return ["--db", db, "--app", "demo-shop", "--now", NOW];
  },
  "real data": async () => kitchen(),
  "an app without any data": async () => {
    const options = kitchen();
    await monitor([...options, "purge", "all", "--yes", "--quiet"]);
    return options;
  },
  "two apps": async () => {
    const db = join(folder, "two_apps.db");
    copyFileSync(fixturePath("cases/two_apps_023.db"), db);
    return ["--db", db, "--app", "beta", "--now", "2026-11-27T06:56:10Z"];
  },
  "no store": async () => ["--db", join(folder, "none.db")],
};

function kitchen(): readonly string[] {
  const db = ownCopy("kitchen_sink.db", folder);
  return ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];
}

/** Where the ids in the lines below are from: the first row of a list. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  INVOCATION: ["invocations"],
  FAILED: ["invocations", "status:failed"],
  TASK: ["tasks"],
  RUNNER: ["runners", "--all"],
  EVENT: ["events"],
  RUN: ["trigger-runs"],
  TRIGGER: ["triggers"],
  TYPE: ["workflows"],
  WORKFLOW: ["workflows", "--runs"],
};

const LINES: readonly string[] = [
  "status",
  "status --at 1m",
  "why",
  "why INVOCATION",
  "why TASK",
  "why RUNNER",
  "check",
  "check --max-failed 5% --since 1d",
  "doctor",
  "doctor --fail-on error",
  "apps",
  "config",
  "options",
  "schema",
  "completion zsh",
  "metrics",
  "top --once",
  "find INVOCATION",
  "find no-such-thing",
  "find tasks.",
  "show INVOCATION",
  "show TASK",
  "show RUNNER",
  "show EVENT",
  "show RUN",
  "show TRIGGER",
  "show TYPE",
  "show INVOCATION --at 1m",
  "show no-such-thing",
  "invocations",
  "invocations --at 1m",
  "invocations --fields status,task_id_key",
  "invocations --by task",
  "invocations --by exception",
  "invocations status:failed --limit 2",
  "invocations --sort -duration_seconds --since 1d",
  "invocations task:no.such",
  "invocations --status nonsense",
  "invocation INVOCATION",
  "invocation no-such-id",
  "tree INVOCATION",
  "trace INVOCATION",
  "trace EVENT --direction up",
  "diff INVOCATION INVOCATION",
  "diff FAILED --last-success",
  "tasks",
  "task TASK",
  "call no.such:call",
  "queue",
  "queue --at 1m",
  "queue mail",
  "runners",
  "runners --all",
  "runner RUNNER",
  "atomic-service",
  "atomic-service --schedule",
  "events",
  "events --code no.such",
  "event EVENT",
  "triggers",
  "trigger-runs",
  "trigger-run RUN",
  "workflows",
  "workflows --runs",
  "workflow WORKFLOW",
  "stats --since 1d",
  "stats --by runner --since 1d",
  "stats --by host --since 1d",
  "stats --by exception --since 1d",
  "failures --since 1d",
  "compare status:failed",
  "timeline --since 1d",
  "timeline --group task",
  "logs LOG",
  "logs LOG --level error",
  "audit",
  "mute",
  "mute stuck_pending --for 1h --dry-run",
  "unmute stuck_pending --dry-run",
  "wait INVOCATION --timeout 1s",
  "rerun INVOCATION --dry-run",
  "rerun --status failed --dry-run",
  "requeue INVOCATION --dry-run",
  "purge broker --dry-run",
  "purge all --dry-run",
  "auto-purge --dry-run",
  "auto-purge events --dry-run",
  "export --format csv -o OUT --force",
  "bundle INVOCATION -o OUT --force",
  "timeline --format svg -o OUT --force",
  "export --format csv",
  "show ''",
  "purge",
];

/** Commands that answer no single document, or none. */
const WITHOUT = ["serve", "demo", "mcp"];

const counted: string[] = [];

describe.each(Object.keys(STORES))("with --json on %s", (name) => {
  let here: readonly string[] = [];
  const ids: Record<string, string> = { LOG: log, OUT: join(folder, "written") };

  beforeAll(async () => {
    here = (await STORES[name]?.()) ?? [];
    for (const [word, list] of Object.entries(IDS)) {
      const { stdout } = await monitor([...here, ...list, "--format", "ids"]);
      ids[word] = stdout.split("\n")[0] || "no-such-id";
    }
    writeFileSync(log, `2026-08-14 10:00:00 ERROR invocation:${ids.INVOCATION} failed\n`);
  });

  test.each(LINES)("monitor %s prints a document of its schema", async (line) => {
    const words = line.split(" ").map((word) => (word === "''" ? "" : (ids[word] ?? word)));
    const { code, stdout, stderr } = await monitor([...here, ...words, "--json"]);
    const failure = /^\{\n[\s\S]*\n\}$/m.exec(stderr)?.[0];
    const text = stdout.trim() === "" ? failure : stdout;
    expect([line, code, text]).toEqual([line, code, expect.stringMatching(/^\{/)]);
    const names = stdout.trim() === "" ? ["CommandFailure"] : await schemasOf(words[0] ?? "");
    const document = JSON.parse(text ?? "");
    expect([line, names, await isValid(names, document)]).toEqual([line, names, true]);
    // The check notices what is wrong.
    expect(await isValid(names, { ...document, schema_version: 1 })).toBe(false);
    counted.push(`${name}: ${line}`);
  });
});

afterAll(() => process.stdout.write(`${counted.length} documents are as their published schemas say.\n`));

test("monitor schema prints on a terminal of 80 columns whole descriptions of all documents", async () => {
  const { stdout } = await monitor(["schema"], { columns: 80 });
  const text = stripVTControlCharacters(stdout);
  expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  const words = text.replace(/\s+/g, " ");
  const { schemas } = await schemaList();
  expect(schemas.filter(({ description }) => !words.includes(description.replace(/\s+/g, " ")))).toEqual([]);
});

test(`every command is among the ${Object.keys(STORES).length * LINES.length} documents, at least 161`, () => {
  const commands = QUESTIONS.flatMap(({ name, command }) => (command === null ? [] : [name]));
  const asked = new Set(LINES.map((line) => line.split(" ")[0]));
  expect(commands.filter((name) => !asked.has(name) && !WITHOUT.includes(name))).toEqual([]);
  expect(counted.length).toBeGreaterThanOrEqual(161);
});

async function schemasOf(command: string): Promise<string[]> {
  const { schemas } = await schemaList();
  return schemas.filter(({ commands }) => commands.includes(command)).map(({ name }) => name);
}

type Validator = Awaited<ReturnType<typeof validate>>;
const validators = new Map<string, Promise<Validator>>();

function validatorOf(name: string): Promise<Validator> {
  const made = validators.get(name) ?? published(name);
  validators.set(name, made);
  return made;
}

/** By what the command prints of it. */
async function published(name: string): Promise<Validator> {
  const { stdout } = await monitor(["schema", name]);
  const uri = `https://monitor.test/${name}`;
  registerSchema(JSON.parse(stdout), uri, "https://json-schema.org/draft/2020-12/schema");
  return validate(uri);
}

/** Whether one of the schemas accepts the document. */
async function isValid(names: readonly string[], document: object): Promise<boolean> {
  const found = await Promise.all(names.map(async (name) => (await validatorOf(name))(document as never)));
  return found.some(({ valid }) => valid);
}
