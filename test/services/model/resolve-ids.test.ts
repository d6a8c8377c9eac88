/** Ids in the forms in which people copy and shorten them. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { shortId } from "../../../src/presentation/text.ts";
import { ID_KINDS, type IdKind } from "../../../src/pynenc/id-kinds.ts";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import {
  AmbiguousIdError,
  resolvedId,
  resolveTexts,
  similarIds,
  withId,
} from "../../../src/services/model/resolve-ids.ts";
import { bare } from "../../../src/services/model/written-id.ts";
import type { KnownId } from "../../../src/stores/ports/ids.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const INVOCATION = "c991e525-5b8f-4d0e-9a44-0d5c2b1acf9b";
const EVENT = "77aa0001-5b8f-4d0e-9a44-0d5c2b1acf9b";
const RUN = "d00d".repeat(16);
const TRIGGER = "beef".repeat(16);
const SERVICE = "5e000001-5b8f-4d0e-9a44-0d5c2b1a0001";
const HOST = "ExternalRunner@Host-4711";
const CRON = "cron_*/5 * * * *";
const VALID = "valid_condition_event#order.created#static_no_args_context_event_order.created_77aa0001";
const ARGUMENTS = { order: "ORD-1" };

function world() {
  return memoryApp()
    .invocation(INVOCATION, { task: "shop.a_very_long_module_name.pay_for_it", arguments: ARGUMENTS })
    .workflow("90000001-5b8f-4d0e-9a44-0d5c2b1acf9b")
    .event(EVENT)
    .triggerRun(RUN)
    .trigger(TRIGGER)
    .condition(CRON, {})
    .validCondition(VALID)
    .context(HOST)
    .heartbeat("0e5f93a1-5b8f-4d0e-9a44-0d5c2b1acf9b")
    .execution(SERVICE)
    .value('"large"');
}

const app = world();
const call = app.rows((rows) => rows.statuses[0]?.call_id_key ?? "");
const EACH: Record<IdKind, string> = {
  invocation: INVOCATION,
  workflow: "90000001-5b8f-4d0e-9a44-0d5c2b1acf9b",
  event: EVENT,
  trigger_run: RUN,
  trigger: TRIGGER,
  condition: CRON,
  valid_condition: VALID,
  runner: HOST,
  atomic_service_run: SERVICE,
  call,
  client_data: clientDataKey('"large"'),
};

const resolved = async (text: string, kinds?: readonly IdKind[]) => {
  const [found] = await app.opened.store.read((reads) => resolveTexts(reads, [{ text, kinds }]));
  return found;
};
const only = (kind: IdKind): KnownId[] => [{ kind, id: EACH[kind] }];

describe.each(ID_KINDS)("an id of a %s", (kind) => {
  const id = EACH[kind];
  it.each([
    ["whole", id],
    ["by its beginning", id.slice(0, kind === "call" || kind === "client_data" ? id.lastIndexOf(":") + 9 : 8)],
    ["as pages print it", shortId(id)],
    ["as pages print it, with dots", shortId(id).replaceAll("…", "...")],
    ["between quotes and a comma", ` "${id}", `],
    ["between brackets", `(${shortId(id)})`],
    ["at the end of a sentence", `${id}.`],
  ])("is found %s", async (_, text) => {
    expect(await resolved(text)).toMatchObject({ matches: only(kind), complete: true });
  });
});

describe("an id", () => {
  it.each(["invocation", "event", "trigger_run", "trigger", "atomic_service_run"] as const)(
    "of hexadecimal digits is found in upper case too: %s",
    async (kind) => {
      for (const text of [EACH[kind].toUpperCase(), EACH[kind].slice(0, 8).toUpperCase()]) {
        expect((await resolved(text))?.matches).toEqual(only(kind));
      }
    },
  );

  it("with capitals is matched exactly first, then regardless of case", async () => {
    const both = memoryApp().context("Runner@A").context("runner@a");
    const found = await both.opened.store.read((reads) =>
      resolveTexts(
        reads,
        ["Runner@A", "runner@a", "RUNNER@A", "Runn"].map((text) => ({ text })),
      ),
    );
    expect(found.map((one) => one.matches.map((match) => match.id))).toEqual([
      ["Runner@A"],
      ["runner@a"],
      ["runner@a"],
      ["Runner@A"],
    ]);
  });

  it("in full wins over ids that begin with it", async () => {
    const some = memoryApp().context("worker-1").context("worker-12");
    expect(await resolvedId(some.opened, { parameter: "x", kinds: ["runner"], text: "worker-1" })).toEqual({
      kind: "runner",
      id: "worker-1",
    });
    await expect(resolvedId(some.opened, { parameter: "x", kinds: ["runner"], text: "work" })).rejects.toThrow(
      AmbiguousIdError,
    );
  });

  it("of a call is found by the digits of its arguments, without its task", async () => {
    const digits = call.slice(call.lastIndexOf(":") + 1);
    for (const text of [digits, digits.slice(0, 6), `${digits.slice(0, 8)}...${digits.slice(-4)}`]) {
      expect((await resolved(text))?.matches).toEqual(only("call"));
    }
  });

  it("of a call in full wins over those that begin with it, and a named task excludes calls of others", async () => {
    const key = (call_id_key: string) => ({ status: { call_id_key }, definition: { call_id_key } });
    const some = memoryApp()
      .invocation("a", key("shop.pay:abcd"))
      .invocation("b", key("shop.pay:abcd12"))
      .invocation("c", { task: "mail.send", ...key("mail.send:abcd") });
    const resolve = (text: string) => resolvedId(some.opened, { parameter: "x", kinds: ["call"], text });
    expect(await resolve("shop.pay:abcd")).toEqual({ kind: "call", id: "shop.pay:abcd" });
    expect(await resolve("…send:abcd")).toEqual({ kind: "call", id: "mail.send:abcd" });
    await expect(resolve("abcd")).rejects.toThrow(AmbiguousIdError);
  });

  it("needs at least four characters, unless it is an id in full", async () => {
    expect((await resolved("c99"))?.matches).toEqual([]);
    expect((await resolved("c9…b"))?.matches).toEqual([]);
    expect((await resolved("c9…9b"))?.matches).toEqual(only("invocation"));
    const short = memoryApp().invocation("a").invocation("ab");
    expect(await resolvedId(short.opened, { parameter: "x", kinds: ["invocation"], text: "a" })).toEqual({
      kind: "invocation",
      id: "a",
    });
  });

  it("with ellipses must contain every written piece, in order and without overlap", async () => {
    expect((await resolved("c991…5b8f…cf9b"))?.matches).toEqual(only("invocation"));
    expect((await resolved("c991…5b80…cf9b"))?.matches).toEqual([]);
    expect((await resolved("c991…0d5c…5b8f…cf9b"))?.matches).toEqual([]);
    expect((await resolved(`${INVOCATION}…cf9b`))?.matches).toEqual([]);
  });

  it("is only looked for among the requested kinds", async () => {
    expect((await resolved(INVOCATION.slice(0, 8), ["event", "runner"]))?.matches).toEqual([]);
  });

  it("prefix is not resolved if not all ids could be searched, while an id in full is", async () => {
    const { opened } = world();
    const partly = {
      ...opened,
      store: {
        ...opened.store,
        read: <T>(fn: (reads: never) => Promise<T>) =>
          opened.store.read((reads) =>
            fn({
              ...reads,
              ids: {
                known: (ids: readonly KnownId[]) => reads.ids.known(ids),
                matching: async (...args: Parameters<typeof reads.ids.matching>) =>
                  (await reads.ids.matching(...args)).map((one) => ({ ...one, complete: false })),
              },
            } as never),
          ),
      },
    } as unknown as typeof opened;
    const wanted = { parameter: "<id>", kinds: ["invocation"] as const };
    await expect(resolvedId(partly, { ...wanted, text: "c991e525" })).rejects.toThrow(/there may be more/);
    expect(await resolvedId(partly, { ...wanted, text: INVOCATION })).toEqual(only("invocation")[0]);
  });
});

describe("an unknown id", () => {
  const wanted = { parameter: "<id>", kinds: ["invocation"] as const, text: "c991e525-0000" };

  it("is passed on unchanged, and the error lists ids that begin with the same characters", async () => {
    const asked: string[] = [];
    const failing = withId(app.opened, wanted, async (id) => {
      asked.push(id);
      throw new NotFoundError("invocation", id, "It may have been purged.");
    });
    await expect(failing).rejects.toMatchObject({
      message: 'No invocation "c991e525-0000" in this store.',
      hint: expect.stringMatching(
        /^It may have been purged\.\n.*ignoring case\.\nSimilar ids:\n {2}invocation {2}c991e525-5b8f/,
      ),
    });
    expect(asked).toEqual(["c991e525-0000"]);
    expect(await app.opened.store.read((reads) => similarIds(reads, "ffffffff-0000"))).toEqual([]);
  });

  it("is reported with the things of another kind that have it", async () => {
    const failing = withId(app.opened, { ...wanted, text: "77aa0001" }, async (id) => {
      throw new NotFoundError("invocation", id);
    });
    await expect(failing).rejects.toMatchObject({
      hint: expect.stringMatching(/Found, but of another kind:\n {2}event {2}77aa0001-5b8f.* {2}order\.created/),
    });
  });

  it("shorter than four characters is refused with the minimum length", async () => {
    const failing = withId(app.opened, { ...wanted, text: "zz" }, async (id) => {
      throw new NotFoundError("invocation", id);
    });
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining("first 4 characters") });
  });
});

it("an ambiguous id is refused with the kind, task, status and time of each candidate", async () => {
  const two = memoryApp().invocation("aaaa-1", { task: "shop.pay" }).invocation("aaaa-2", { task: "shop.ship" });
  await expect(
    resolvedId(two.opened, { parameter: "--parent", kinds: ["invocation"], text: "aaaa" }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('--parent: "aaaa"'),
    hint: expect.stringMatching(
      /^ {2}invocation {2}aaaa-1 {2}shop\.pay {2}registered {2}2026-01-05T12:00:00.*\n {2}invocation {2}aaaa-2 {2}shop\.ship/,
    ),
  });
});

it.each([
  ["  'a'  ", "a"],
  ["(a)", "a"],
  ["<a>,", "a"],
  ["[a", "a"],
  ["a)", "a"],
  ["callable_m.f(x)", "callable_m.f(x)"],
  ["cron_* * * * *", "cron_* * * * *"],
  ["“a”;", "a"],
  ["a…", "a…"],
  ["a...", "a..."],
  ["a.", "a"],
  ['""', ""],
  ["http://127.0.0.1:8000/invocations/a1b2", "a1b2"],
  ["“https://host/invocations/a1b2?app=x#history”,", "a1b2"],
  ["/invocations/a1b2/family-tree", "a1b2"],
  ["/workflows/runs/a1b2", "a1b2"],
  ["/runners/ExternalRunner%40Host-1", "ExternalRunner@Host-1"],
  ["/calls/?call_id_key=shop.pay%3Ano_args", "shop.pay:no_args"],
  ["/trigger-runs/condition?condition_id=cron_%2A%2F5", "cron_*/5"],
  ["/why?id=a1b2", "a1b2"],
  ["/tasks/history", "history"],
  ["/invocations/", "/invocations/"],
  ["/invocations/%", "/invocations/%"],
  ["invocations/a1b2", "invocations/a1b2"],
])("bare text of %j is %j", (text, left) => {
  expect(bare(text)).toBe(left);
});
