import { beforeAll, expect, it } from "vitest";
import type { InvocationDetail, InvocationList } from "../../../src/api/invocations.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE } from "../world.ts";

const VALUES = {
  markup: "<script>alert(1)</script><img src=x onerror=alert(2)>",
  quotes: `say "hi" and 'bye'`,
  path: "C:\\Users\\x\\a.py",
  lines: "one\ntwo\ttabbed\r\nthree",
  control: "bell\u0007 escape\u001b[31mred\u001b[0m",
  formula: '=HYPERLINK("http://evil","x")',
  unicode: "café 🧾 \u202Eabc",
};
type Name = keyof typeof VALUES;
const NAMES = Object.keys(VALUES) as Name[];

const LENGTH = 2_000_000;
const MESSAGE = '<b>bold</b> \u001b[31mred "quoted" C:\\dir\nsecond line';

/** Characters that a terminal acts upon, but for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for.
const ACTED_UPON = /[\u0000-\u0009\u000b-\u001f\u007f\u0080-\u009f\u202a-\u202e]/;

scenario(
  {
    story:
      "Tasks take and return markup, control characters, quotes, paths and two million letters, and fail with them",
    app: "hostile",
    settings: RECOVERY_ONCE,
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const ids = {} as Record<Name, string>;
    let long = "";
    let mute = "";
    let loud = "";

    beforeAll(async () => {
      world().runner({ threads: 4 });
      await world().recovered();
      for (const name of NAMES) ids[name] = await world().call("echo", { value: VALUES[name] });
      mute = await world().call("fails");
      loud = await world().call("fails", { message: MESSAGE });
      for (const name of NAMES) await world().untilStatus(ids[name], "success");
      for (const id of [mute, loud]) await world().untilStatus(id, "failed");
      long = await world().callQuietly("swallows", { value: `${"x".repeat(LENGTH)}END` });
      await world().untilStatus(long, "success");
    });

    const found = async (query: string) =>
      (await world().monitor.json<InvocationList>("invocations", query)).invocations.map((row) => row.invocation_id);

    it.each(NAMES)("JSON carries the argument and the result of %s exactly as the task had them", async (name) => {
      const [begins] = world().truth.all({ what: "begins", invocation: ids[name] });
      expect(begins?.kwargs).toEqual({ value: VALUES[name] });
      const detail = await world().monitor.http<InvocationDetail>(`/invocations/${ids[name]}`);
      expect(JSON.parse(detail.arguments?.[0]?.value.stored.text ?? "")).toBe(VALUES[name]);
      expect(JSON.parse(detail.result?.stored.text ?? "")).toBe(VALUES[name]);
    });

    it("the terminal shows no control character from stored values", async () => {
      const { monitor } = world();
      const printed = [
        await monitor.text("invocations"),
        await monitor.text("show", ids.control),
        await monitor.text("show", ids.unicode),
        await monitor.text("why", loud),
        await monitor.text("show", loud),
        await monitor.text("failures"),
      ];
      for (const text of printed) expect(ACTED_UPON.exec(text)).toBeNull();
    });

    it("pages show markup as text, never as elements", async () => {
      const { monitor } = world();
      expect(await monitor.page(`/invocations/${ids.markup}`)).toContain(VALUES.markup);
      expect(await monitor.page("/invocations/")).toContain("<script>alert(1)</script>");
      expect(await monitor.page(`/invocations/${loud}`)).toContain("<b>bold</b>");
    });

    it("monitor why names the exception alone for a failure without a message", async () => {
      const { verdict } = await whyEverywhere(world().monitor, mute);
      expect(verdict).toMatchObject({ code: "failed", sentence: "It failed with CardDeclined." });
      expect(await world().monitor.page(`/invocations/${mute}`)).not.toMatch(/CardDeclined: ?(null|undefined|None)/);
    });

    it("monitor why has the first line of a message, and monitor show the whole message", async () => {
      const { monitor } = world();
      const { verdict } = await monitor.json<WhyAnswer>("why", loud);
      expect(verdict?.sentence).toContain("CardDeclined: <b>bold</b>");
      expect(verdict?.sentence).toContain('red "quoted" C:\\dir');
      expect(await monitor.text("show", loud)).toContain("second line");
      const { exception } = await monitor.http<InvocationDetail>(`/invocations/${loud}`);
      expect(exception?.exception.message).toBe(MESSAGE);
    });

    it("a search finds markup, formulas, accents and texts of exception messages", async () => {
      expect(await found("<script>alert(1)</script>")).toEqual([ids.markup]);
      expect(await found("arg:HYPERLINK")).toEqual([ids.formula]);
      expect(await found("café")).toEqual([ids.unicode]);
      expect(await found("error:bold")).toEqual([loud]);
      expect(await found('error:"second line"')).toEqual([loud]);
      expect((await found("exception:CardDeclined")).sort()).toEqual([mute, loud].sort());
    });

    it("a search finds a path with backslashes", async () => {
      expect(await found("arg:C:\\Users")).toEqual([ids.path]);
    });

    it("a search finds a text in quotes", async () => {
      expect(await found('arg:"say \\"hi\\""')).toEqual([ids.quotes]);
    });

    it("a search takes a path for a word, not for a field", async () => {
      expect(await found("C:\\Users")).toEqual([ids.path]);
    });

    it("a CSV file has one record for each call, and no cell that a spreadsheet would compute", async () => {
      const csv = await world().monitor.text("invocations", "task:hostile.*", "--format", "csv");
      const cells = records(csv);
      expect(cells).toHaveLength(1 + NAMES.length + 3);
      expect(new Set(cells.map((row) => row.length)).size).toBe(1);
      for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=+@-]/);
      expect(cells.some((row) => row.some((cell) => cell.includes("HYPERLINK")))).toBe(true);
    });

    it("JSON lines have one whole document for each call", async () => {
      const lines = (await world().monitor.text("invocations", "task:hostile.*", "--format", "jsonl"))
        .trim()
        .split("\n");
      const known = [...Object.values(ids), mute, loud, long].sort();
      expect(lines.map((line) => (JSON.parse(line) as { invocation_id: string }).invocation_id).sort()).toEqual(known);
    });

    it("two million letters are stored, shown in part with their size, and make no list or page long", async () => {
      const { truth, monitor } = world();
      expect(truth.all({ what: "begins", task: "swallows" })).toMatchObject([{ length: LENGTH + 3 }]);
      const { verdict } = await monitor.json<WhyAnswer>("why", long);
      expect(verdict?.code).toBe("ended_well");
      expect((await monitor.text("invocations")).length).toBeLessThan(10_000);
      expect((await monitor.page("/invocations/")).length).toBeLessThan(50_000);
      const detail = await monitor.http<InvocationDetail>(`/invocations/${long}`);
      const [argument] = detail.arguments ?? [];
      expect(argument?.value.dangling).toBe(false);
      const shown = argument?.value.resolved ?? argument?.value.stored;
      expect(shown).toMatchObject({ truncated: true });
      // The text as it is stored has quotes around it.
      expect(shown?.size).toBeGreaterThanOrEqual(LENGTH + 3);
      expect(shown?.size).toBeLessThan(LENGTH + 100);
    });
  },
);

/** The records of a CSV text (RFC 4180). */
function records(csv: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/gy;
  while (cell.lastIndex < csv.length) {
    const match = cell.exec(csv);
    if (match === null) throw new Error("This is no CSV.");
    const [, text = "", end = ""] = match;
    rows.at(-1)?.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}
