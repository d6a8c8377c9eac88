/** What is made from the parameters of a question. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { onOff, text, whole, withoutFlags, word } from "../../src/inputs/parameter.ts";
import { QUESTIONS } from "../../src/questions/all.ts";
import { inputSchema, toolSchema } from "../../src/questions/derived/input-schema.ts";
import { jsonSchema } from "../../src/questions/derived/json-schema.ts";
import { helpOf } from "../../src/questions/model/parameter-words.ts";

const INPUT = {
  from: text("from this time on", { flag: "--since <time>", read: "time" }),
  way: word("which way to go", ["down", "up", "both"], { explained: { down: "what it caused" }, usual: "down" }),
  limit: whole("rows", { least: 1, most: 1_000, usual: 50 }, { flag: "--limit <rows>" }),
  bare: onOff("only the picture"),
  id: text("an id; --since is left out", { argument: "id", required: true }),
};

describe("a parameter", () => {
  it("has its accepted words and its default in the help of a command", () => {
    expect([helpOf(INPUT.way), helpOf(INPUT.limit)]).toEqual([
      "which way to go: down (what it caused; default), up or both",
      "rows (default 50)",
    ]);
  });

  it("has a sentence, a type, bounds and a default in the schema of an address", () => {
    const { properties, required } = jsonSchema(inputSchema(INPUT)) as { properties: object; required: string[] };
    expect(properties).toEqual({
      from: { type: "string", description: "From this time on. UTC unless it has an offset." },
      way: {
        type: "string",
        enum: ["down", "up", "both"],
        default: "down",
        description: "Which way to go: down (what it caused), up or both.",
      },
      limit: { type: "integer", minimum: 1, maximum: 1_000, default: 50, description: "Rows." },
      bare: { type: "string", enum: ["0", "1"], description: "Only the picture." },
      id: { type: "string", description: "An id; --since is left out." },
    });
    expect(required).toEqual(["id"]);
  });

  it("has the name of its flag, no dashes and a smaller limit in the tool of an assistant", () => {
    const schema = toolSchema(INPUT, { takes: ["from", "limit", "id"], most: 200 });
    expect(Object.keys(schema.shape)).toEqual(["since", "limit", "id"]);
    expect(schema.shape.id?.description).toBe("An id; since is left out.");
    expect(schema.safeParse({ id: "x", limit: 200 }).success).toBe(true);
    expect(schema.safeParse({ id: "x", limit: 201 }).success).toBe(false);
    expect(schema.safeParse({ since: "1h" }).success).toBe(false);
    expect(schema.safeParse({ id: "x", from: "1h" }).success).toBe(false);
  });

  it("can be left to addresses alone", () => {
    expect(withoutFlags(INPUT).from).toEqual({ kind: "text", meaning: "from this time on", read: "time" });
  });
});

describe("a question", () => {
  it("with a command has a module of its name that runs it", () => {
    const commands = QUESTIONS.filter(({ command }) => command !== null && command.shows === undefined);
    expect(commands.length).toBeGreaterThan(30);
    const missing = commands.filter(({ name }) => {
      return !existsSync(new URL(`../../src/cli/commands/${name}.ts`, import.meta.url));
    });
    expect(missing).toEqual([]);
  });

  it("has a name and addresses that no other question has", () => {
    const addresses = QUESTIONS.flatMap((one) => one.addresses.map(({ method, path }) => `${method} ${path}`));
    for (const names of [QUESTIONS.map(({ name }) => name), addresses]) expect(names).toEqual([...new Set(names)]);
  });
});
