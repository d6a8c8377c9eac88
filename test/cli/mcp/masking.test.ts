/** No answer to an assistant has a secret in it: every tool is asked about everything in an app that has one in every text. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { ActionOutcome } from "../../../src/api/actions.ts";
import { AuditFile } from "../../../src/audit/audit-file.ts";
import { ACTION_TOOLS } from "../../../src/cli/mcp/action-tools.ts";
import { documents } from "../../../src/cli/mcp/documents.ts";
import { type ReadingChoice, readingTools } from "../../../src/cli/mcp/reading-tools.ts";
import { mcpServer } from "../../../src/cli/mcp/server.ts";
import { MASK } from "../../../src/config/secret-names.ts";
import { NotFoundError } from "../../../src/errors.ts";
import { ActionLog } from "../../../src/services/actions/action-log.ts";
import { assertPrinted } from "../../support/answers.ts";
import { type SecretApp, secretApp } from "../../support/secret-app.ts";

const folder = mkdtempSync(join(tmpdir(), "masking-"));
const audit = new AuditFile(folder);
const CHOICE: ReadingChoice = {
  logs: [join(folder, "worker.log")],
  // It says nothing of what an app stores, besides its verdicts.
  doctor: () => Promise.reject(new NotFoundError("store", "none")),
};
/** What is written to standard error. */
const said: string[] = [];

let world: SecretApp;
let client: Client;

beforeAll(async () => {
  world = secretApp();
  const log = join(folder, "worker.log");
  writeFileSync(log, world.log);
  const actions = new ActionLog({
    via: "agent",
    file: audit,
    write: (line) => said.push(line),
    warn: (words) => said.push(words),
  });
  const { opened: app } = world.app;
  const server = mcpServer({
    app,
    shown: async () => app,
    ...CHOICE,
    record: async <Outcome extends ActionOutcome>(action: string, act: () => Promise<Outcome>) =>
      (await actions.record("user", action, app, act)).outcome,
    documents: await documents(),
    version: "1",
    warn: (words) => said.push(words),
  });
  client = new Client({ name: "test", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  text: string;
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: answers of all tools
  told: any;
}

async function call(name: string, given: object): Promise<Answer> {
  const result = await client.callTool({ name, arguments: given as Record<string, unknown> });
  const { content, isError, structuredContent } = result;
  const words = (content as { text: string }[]).map((one) => one.text).join("");
  expect(Buffer.byteLength(JSON.stringify({ content, structuredContent }))).toBeLessThan(8_000);
  const told = isError ? JSON.parse(words) : structuredContent;
  return { text: `${words}\n${JSON.stringify(told)}`, isError: isError === true, told };
}

/** All pages of an answer, each without a secret and valid. */
async function answersOf(name: string, command: string | null, given: object): Promise<Answer[]> {
  const answers = [await call(name, given)];
  for (let last = answers[0]; last?.told.cursor; last = answers.at(-1))
    answers.push(await call("more", { cursor: last.told.cursor }));
  for (const { text, told, isError } of answers) {
    expect(world.leaksIn(text), `${name} ${JSON.stringify(given)}`).toEqual([]);
    // Answers beyond the first page have lists of any length, and so the same schema.
    if (command !== null && !isError) assertPrinted(command, JSON.stringify(told.answer));
  }
  return answers;
}

/**
 * What is asked for, by the name of the parameter; a tool with another one that it needs has to be added here.
 *
 * @param ofAKind ids of each kind of thing
 */
function examples(name: string, ofAKind: number): readonly unknown[] {
  const { failed, succeeded, waiting, events, runs, triggers, workflows, runners, calls, tasks, secrets } = world;
  switch (name) {
    case "id":
      return [failed, succeeded, waiting, events, runs, triggers, workflows, runners, calls, tasks].flatMap((ids) =>
        ids.slice(0, ofAKind),
      );
    case "text":
      return [failed[0], events[0], tasks[0], "shop", secrets[3]?.text, secrets[60]?.text];
    case "query":
      return [
        "status:failed",
        "status:success",
        "task:shop.reset_password",
        `arg.password="x ${secrets[0]?.text.replaceAll('"', "'")}"`,
      ];
    case "ids":
      return failed.slice(0, ofAKind).map((id) => [id]);
    case "timeout":
      return ["100ms"];
    case "with":
      return ["rest"];
    case "since":
      return ["2020-01-01"];
    case "limit":
      return [200];
    case "direction":
      return ["both"];
    case "by":
      return ["group", "exception", "task"];
    case "invocation_id":
      return [...failed, "ghp_aZq4XkP9wTbY2mVhR6nJsLdG8cF31b2c"];
    case "invocation_ids":
      return [world.waiting, ["ghp_aZq4XkP9wTbY2mVhR6nJsLdG8cF31b2c"]];
    case "force":
      return [true];
    case "target":
      return ["all", "broker", "orchestrator"];
    default:
      return [];
  }
}

/** One question for each example of the parameter that has most of them. */
function questions(input: z.ZodObject, ofAKind = 2): Record<string, unknown>[] {
  const known = Object.keys(input.shape).map((name) => [name, examples(name, ofAKind)] as const);
  for (const [name, values] of known)
    if (values.length === 0 && !input.shape[name]?.safeParse(undefined).success)
      throw new Error(`no example of ${name}`);
  const [most] = [...known].sort((a, b) => b[1].length - a[1].length);
  return (most?.[1].length ? most[1] : [undefined]).map((value) =>
    Object.fromEntries(
      known.flatMap(([name, values]) => {
        const chosen = name === most?.[0] ? value : values[0];
        return chosen === undefined || input.shape[name]?.safeParse(chosen).success !== true ? [] : [[name, chosen]];
      }),
    ),
  );
}

/** Tools that answer with counts, ids and names of tasks alone. */
const WITHOUT_TEXTS = ["status", "tasks", "runners", "timeline", "wait"];

describe("an assistant that asks about an app with secrets", () => {
  // Logs are asked about below.
  const tools = readingTools(CHOICE).filter(({ name }) => !["doctor", "logs"].includes(name));

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    "learns no secret from %s",
    async (name, { question, input }) => {
      let masked = 0;
      const command = question.tool?.answers === undefined || name === "show" ? question.name : null;
      // Every thing is shown once with all that is stored of it: with every kind of secret in every place.
      for (const given of questions(input, name === "show" ? Number.POSITIVE_INFINITY : undefined))
        for (const { text } of await answersOf(name, command, given)) masked += text.includes(MASK) ? 1 : 0;
      if (!WITHOUT_TEXTS.includes(name)) expect(masked).toBeGreaterThan(0);
    },
    240_000,
  );

  it("sees no secret in answers about the whole app, nor in differences that a comparison finds", async () => {
    for (const name of ["why", "failures", "stats", "invocations"])
      await answersOf(name, name, name === "why" ? {} : { since: "2020-01-01" });
    const [answer] = await answersOf("compare", "compare", { query: "status:failed task:shop.reset_password" });
    const found = answer?.told.answer.differences;
    const words = JSON.stringify(found);
    expect(words).toContain(`password=${MASK}: 30 of 30 selected, 0 of `);
    expect(words).toContain(`arg.password=\\"${MASK}\\"`);
    expect(words).toContain(`login.api_key=${MASK}`);
  }, 120_000);

  it("sees no secret in a log, named or pasted", async () => {
    for (const given of [{ file: "worker.log" }, { text: world.log }, { file: "worker.log", level: "warning" }]) {
      const answers = await answersOf("logs", null, given);
      for (const { told } of answers) for (const line of told.answer.lines) assertPrinted("logs", JSON.stringify(line));
    }
  }, 120_000);

  it("sees ids that it can use in the next question", async () => {
    const { told } = await call("invocations", { query: "task:shop.reset_password status:failed", limit: 5 });
    for (const { invocation_id, call_id_key, task_id_key } of told.answer.invocations) {
      expect([task_id_key, call_id_key]).toEqual([
        "shop.reset_password",
        expect.stringMatching(/^shop\.reset_password:[0-9a-f]{64}$/),
      ]);
      expect((await call("show", { id: invocation_id })).told.answer.id).toBe(invocation_id);
      expect((await call("show", { id: call_id_key })).told.answer.id).toBe(call_id_key);
    }
  }, 60_000);

  it("sees no secret in error messages", async () => {
    const secret = world.secrets[0]?.text ?? "";
    for (const [name, given] of [
      ["why", { id: `ffffffff ${secret}` }],
      ["show", { id: secret }],
      ["trace", { id: secret }],
      ["invocations", { query: `colour:"${secret}"` }],
      ["stats", { since: secret }],
      ["preview_rerun", { invocation_id: secret }],
      ["confirm", { token: "none" }],
    ] as const)
      expect(world.leaksIn((await call(name, given)).text), name).toEqual([]);
  });

  // The last ones change what the others read.
  it.each(ACTION_TOOLS.map((tool) => [tool.name, tool] as const))(
    "sees no secret in the preview of %s, nor in its confirmation",
    async (name, { input }) => {
      for (const given of questions(input)) {
        const [preview] = await answersOf(`preview_${name}`, null, given);
        const token = preview?.told.token;
        if (typeof token === "string") await answersOf("confirm", null, { token });
      }
    },
    240_000,
  );

  it("leaves no secret in the record of actions or on standard error", () => {
    const record = readFileSync(audit.path, "utf8");
    expect(record.split("\n").length).toBeGreaterThan(10);
    expect(world.leaksIn(record)).toEqual([]);
    expect(world.leaksIn(said.join("\n"))).toEqual([]);
  });
});
