/** What an assistant sends, line by line. */
import { describe, expect, it } from "vitest";
import { InputLines } from "../../../src/cli/mcp/input-lines.ts";

const PING = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });

function reader(maxBytes?: number) {
  const answers: unknown[] = [];
  const lines = new InputLines((line) => {
    expect(line.endsWith("\n")).toBe(true);
    answers.push(JSON.parse(line));
  }, maxBytes);
  let passed = "";
  lines.on("data", (piece: Buffer) => (passed += piece.toString("utf8")));
  const send = (...pieces: (string | Buffer)[]) =>
    new Promise<void>((resolve) => {
      for (const piece of pieces) lines.write(piece);
      lines.write("", () => setImmediate(resolve));
    });
  return { answers, send, passed: () => passed };
}

const error = (code: number, id: unknown = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: expect.any(String) },
});

describe("a line of the MCP protocol", () => {
  it("passes unchanged, however it is cut into pieces", async () => {
    const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/é", params: { text: "β😀" } });
    const { answers, send, passed } = reader();
    const bytes = Buffer.from(`${text}\r\n${PING}\n\n  \n`);
    await send(...[...bytes].map((byte) => Buffer.from([byte])));
    expect(passed().replace("\r", "")).toBe(`${text}\n${PING}\n`);
    expect(answers).toEqual([]);
  });

  it("that is not JSON is answered with a parse error, and the next line is read", async () => {
    const { answers, send, passed } = reader();
    await send(`no json\n{"jsonrpc":"2.0","id":1,\n${"[".repeat(100_000)}\n${PING}\n`);
    expect(answers).toEqual([error(-32_700), error(-32_700), error(-32_700)]);
    expect(passed()).toBe(`${PING}\n`);
  });

  it.each([
    ["[]", null],
    ["null", null],
    ["1", null],
    [`[${PING}]`, null],
    ['{"id":3,"method":"ping"}', 3],
    ['{"jsonrpc":"1.0","id":"a","method":"ping"}', "a"],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":3,"result":1}', null],
  ])("%s that is not a request is answered with an error, and with its id if there is one", async (line, id) => {
    const { answers, send, passed } = reader();
    await send(`${line}\n${PING}\n`);
    expect(answers).toEqual([error(-32_600, id)]);
    expect(passed()).toBe(`${PING}\n`);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', 3],
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":1}}', 3],
    ['{"jsonrpc":"2.0","id":"a","method":"tools/call"}', "a"],
    ['{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":1}}', 4],
    ['{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"why","arguments":"x"}}', 4],
    ['{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":1}}', 5],
    ['{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{}}', 6],
    ['{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}', 7],
  ])("%s with parameters of another kind is answered with an error of parameters", async (line, id) => {
    const { answers, send, passed } = reader();
    await send(`${line}\n${PING}\n`);
    expect(answers).toEqual([error(-32_602, id)]);
    expect(passed()).toBe(`${PING}\n`);
  });

  it("that asks for an unknown method, or for a known one with its parameters, passes", async () => {
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "nothing/such", params: { a: 1 } },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "why", arguments: {}, _meta: { "a.b/c": 1 } } },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ].map((message) => `${JSON.stringify(message)}\n`);
    const { answers, send, passed } = reader();
    await send(lines.join(""));
    expect([answers, passed()]).toEqual([[], lines.join("")]);
  });

  it("that is too long is answered with one error and dropped, and the next line is read", async () => {
    const { answers, send, passed } = reader(100);
    await send("x".repeat(60), "x".repeat(60));
    expect(answers).toEqual([error(-32_600)]);
    for (let n = 0; n < 50; n++) await send("y".repeat(1_000));
    await send(`end\n${PING}\n`);
    expect(answers).toHaveLength(1);
    expect(passed()).toBe(`${PING}\n`);
    const exact = `{"jsonrpc":"2.0","method":"${"m".repeat(71)}"}`;
    expect(exact).toHaveLength(100);
    await send(`${exact}\n${exact} \n`);
    expect(passed()).toBe(`${PING}\n${exact}\n`);
    expect(answers).toHaveLength(2);
  });
});
