/** What commands make to leave the machine has no secret in it: a file with one of every form, masked by the built program. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, test } from "vitest";
import { MASK } from "../../src/config/secret-names.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { leaksIn, SECRET_FORMS, type Secret, secretOf } from "../support/secrets.ts";
import { storedError } from "../support/stored-error.ts";
import { BIN, cleanEnvironment, monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const PREFIX = "kitchen_sink_13bd3995__";
const secrets: Secret[] = [];
let here: string[];
let ids: string[];
let log: string;

beforeAll(() => {
  const path = ownCopy("kitchen_sink.db", folder);
  here = ["--db", path, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];
  const db = openDatabase(path, { mode: "write" });
  const failed = db
    .prepare(`SELECT invocation_id AS id FROM ${PREFIX}orchestrator_invocations WHERE status = 'failed'`)
    .all() as { id: string }[];
  ids = failed.map(({ id }) => id);
  const lines: string[] = [];
  const placed = SECRET_FORMS.map((form, n) => {
    const place = (where: string): string => {
      const secret = secretOf(form, where);
      secrets.push({ ...secret, form: `${form.name} in ${where}` });
      return secret.text;
    };
    lines.push(`2026-11-21 00:35:12.000+00:00 WARNING pynenc [${ids[n % ids.length]}] ${place("a log")}`);
    return { argument: place("an argument"), message: place("a message") };
  });
  for (const [n, id] of ids.entries()) {
    const own = placed.filter((_, form) => form % ids.length === n);
    const given = Object.fromEntries(own.map(({ argument }, index) => [`a${index}`, JSON.stringify(argument)]));
    db.prepare(`UPDATE ${PREFIX}state_backend_invocations SET serialized_arguments = ? WHERE invocation_id = ?`).run(
      JSON.stringify(given),
      id,
    );
    const error = storedError("ValueError", own.map(({ message }) => message).join(" and "));
    db.prepare(`UPDATE ${PREFIX}state_backend_exceptions SET exception_data = ? WHERE invocation_id = ?`).run(
      error,
      id,
    );
  }
  db.close();
  log = join(folder, "secrets.log");
  writeFileSync(log, `${lines.join("\n")}\n`);
});

describe("secrets in stored values", () => {
  test("are shown as they are on the user's own terminal", async () => {
    const { stdout } = await monitor([...here, "invocations", "status:failed", "--json"]);
    expect(leaksIn(stdout, secrets).length).toBeGreaterThan(10);
  });

  test("are masked in a bundle, with its log lines and its search", async () => {
    const whole = join(folder, "all.html");
    expect((await monitor([...here, "bundle", "status:failed", "--logs", log, "-o", whole])).code).toBe(0);
    expect(readFileSync(whole, "utf8")).toContain(MASK);
    expect(leaksIn(readFileSync(whole, "utf8"), secrets)).toEqual([]);
    const searched = join(folder, "searched.html");
    const secret = secretOf({ name: "a search", text: (body) => body.mixed(12) }, "a search");
    const search = [`-arg.password=${secret.text}`, "status:failed"];
    expect((await monitor([...here, "bundle", ...search, "-o", searched])).code).toBe(0);
    expect(readFileSync(searched, "utf8")).toContain(`-arg.password=${MASK}`);
    expect(leaksIn(readFileSync(searched, "utf8"), [...secrets, secret])).toEqual([]);
  });

  test.each(["jsonl", "csv", "otlp", "perfetto"])("are masked in an export as %s", async (format) => {
    const { stdout, code } = await monitor([...here, "export", "--format", format, "status:failed"]);
    expect([code, leaksIn(stdout, secrets)]).toEqual([0, []]);
  });

  test("are masked in answers to an assistant, and on the standard error of its server", async () => {
    const args = [BIN, "mcp", ...here, "--logs", log, "--allow-actions"];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env: cleanEnvironment() as Record<string, string>,
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (text: Buffer) => (said += text.toString("utf8")));
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    let told = "";
    for (const [name, given] of [
      ["invocations", { query: "status:failed" }],
      ["failures", { since: "2020-01-01" }],
      ["logs", { file: "secrets.log" }],
      ...ids.map((id) => ["show", { id }] as const),
      ["preview_rerun_matching", { query: "status:failed", force: true }],
    ] as const) {
      const { content, structuredContent } = await client.callTool({ name, arguments: given });
      told += (content as { text: string }[]).map(({ text }) => text).join("");
      told += JSON.stringify(structuredContent);
    }
    await client.close();
    expect(told).toContain(MASK);
    expect(leaksIn(told + said, secrets)).toEqual([]);
  }, 120_000);
});
