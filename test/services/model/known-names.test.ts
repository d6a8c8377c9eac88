/** Unknown names in filters, as opposed to known ones without rows. */
import { describe, expect, it } from "vitest";
import { queuePage } from "../../../src/services/components/broker.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { unknownNames } from "../../../src/services/invocations/unknown-names.ts";
import { unknownAmong } from "../../../src/services/model/known-names.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const failed: readonly Step[] = [
  [at(0), "registered"],
  [at(1), "pending"],
  [at(2), "running"],
  [at(3), "failed"],
];
const shop = () =>
  memoryApp({ queue_layout: { named: true }, settings: { queues: ["default", "mail"] } })
    .runner("r1", { queues: ["rush"] })
    .runner("idle")
    .invocation("a", {
      task: "shop.pay",
      history: failed,
      exception: JSON.stringify({ error_name: "ValueError", pynenc_error: false, error_data: '{"args":["no"]}' }),
    })
    .trigger("t", { task_id_key: "shop.notify" });

const sentences = async (app: MemoryApp, raw: Record<string, string>) => {
  const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
  const { filter } = await readInvocationInput(app.opened, given);
  return (await unknownNames(app.opened, filter)).map(({ sentence }) => sentence);
};

describe("a name in a filter", () => {
  it.each([
    [{ task_id: "shop.pya" }, 'No task "shop.pya" is known; did you mean shop.pay?'],
    [{ q: "task:pya" }, 'No task "pya" is known; did you mean shop.pay?'],
    [{ q: "exception:ValueEror" }, 'No exception "ValueEror" is known; did you mean ValueError?'],
    [{ runner: "nobody" }, 'No runner "nobody" is stored.'],
    [{ workflow_type: "shop.day" }, 'No workflow type "shop.day" is known.'],
  ] as const)("%j that occurs nowhere is reported as unknown", async (raw, sentence) => {
    expect(await sentences(shop(), raw)).toEqual([sentence]);
    const list = await listInvocations(
      shop().opened,
      await readInvocationInput(shop().opened, Object.fromEntries(Object.entries(raw).map(([k, v]) => [k, [v]]))),
    );
    expect(list.notes).toContain(sentence);
  });

  it.each([
    { task_id: "shop.pay" },
    { task_id: "shop.notify" },
    { q: "task:*nothing*" },
    { q: "-task:nothing" },
    { q: "exception:ValueError" },
    { q: "exception:*Nothing*" },
    { runner: "r1" },
    // It has done nothing yet.
    { runner: "idle" },
  ])("%j that occurs, or is a pattern, is not reported as unknown", async (raw) => {
    expect(await sentences(shop(), raw as unknown as Record<string, string>)).toEqual([]);
  });

  it("is known if the history alone names the runner, and is not called unknown until all history was searched", async () => {
    const app = shop().invocation("b", { history: [[at(0), "registered", "gone"]] });
    expect(await sentences(app, { registered_by: "gone" })).toEqual([]);
    app.invocations(2, () => ({ history: Array.from({ length: 10_001 }, (_, n) => [at(n), "rerouted"] as const) }));
    expect(await sentences(app, { runner: "never there" })).toEqual([]);
  });
});

describe("a queue name", () => {
  const unknown = async (app: MemoryApp, ...queues: string[]) =>
    (await unknownAmong(app.opened, { queues })).map(({ sentence }) => sentence);

  it("is known if it is declared, has messages, or a runner names it", async () => {
    const app = shop().invocation("c").message("c", at(0), { queue: "adhoc" });
    expect(await unknown(app, "default", "mail", "rush", "adhoc")).toEqual([]);
    expect(await unknown(app, "mial")).toEqual(['No queue "mial" is known; did you mean mail?']);
    const { queue_note, messages } = await queuePage(app.opened, { queue: ["mial"] });
    expect([messages, queue_note]).toEqual([[], 'No queue "mial" is known; did you mean mail?']);
    expect((await queuePage(app.opened, { queue: ["mail"] })).queue_note).toBeNull();
  });

  it("is not called unknown while the list of queues is incomplete", async () => {
    const app = memoryApp({ queue_layout: { named: true, complete: false } });
    expect(await unknown(app, "mial")).toEqual([]);
  });
});
