/** What `find` matches: an exact name alone, else the best names first, each thing once. */
import { describe, expect, it } from "vitest";
import { find } from "../../../src/services/find/find.ts";
import { identifiedObject } from "../../../src/services/find/identified-object.ts";
import { matchingNames } from "../../../src/services/find/names.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { validEvent } from "../../support/valid-event.ts";

const PAGES = [
  { kind: "page", key: "tasks", label: "Tasks" },
  { kind: "page", key: "log_explorer", label: "Log explorer" },
  { kind: "action", key: "purge", label: "Purge all data" },
] as const;
const RUN = "aaaa0001-0000-4000-8000-000000000001";
const app = memoryApp()
  .invocation(RUN, { task: "shop.orders.ship", workflow: { id: RUN } })
  .workflow(RUN, { workflow_type_key: "shop.orders.ship" })
  .invocation("bbbb0001-0000-4000-8000-000000000001", { task: "shop.mail.ship_note" })
  .invocation("cccc0001-0000-4000-8000-000000000001", { task: "shop.ships.sail" })
  .event("dddd0001-0000-4000-8000-000000000001", { event_code: "parcel.shipped" })
  .context("eeee0001-0000-4000-8000-000000000001", { hostname: "worker-3" });

const found = async (q: string) =>
  (await find(app.opened, { q: [q] }, PAGES)).matches.map(({ kind, id }) => `${kind} ${id}`);

it.each([
  ["ship", ["shop.orders.ship", "shop.mail.ship_note", "shop.ships.sail", "x.relationship"]],
  ["SHIP", ["shop.orders.ship", "shop.mail.ship_note", "shop.ships.sail", "x.relationship"]],
  ["shop.orders.ship", ["shop.orders.ship"]],
  ["mail ship", ["shop.mail.ship_note"]],
  ["shop.", ["shop.mail.ship_note", "shop.orders.ship", "shop.ships.sail", "x.shop.y"]],
  ["", []],
])("the right names match %j", (text, names) => {
  const all = ["x.relationship", "x.shop.y", "shop.ships.sail", "shop.orders.ship", "shop.mail.ship_note"];
  expect(matchingNames(text, all, 10).names).toEqual(names);
  const first = matchingNames(text, all, 1);
  expect([first.names, first.cut]).toEqual([names.slice(0, 1), names.length > 1]);
});

it("similar names of every kind are suggested for a misspelled name", async () => {
  const near = async (q: string, kind = "") => {
    const answer = await find(app.opened, { q: [q], kind: [kind] }, PAGES);
    expect(answer.matches).toEqual([]);
    return answer.near.map((one) => `${one.kind} ${one.id} ${one.label}`);
  };
  expect(await near("shop.ordres.ship")).toEqual([
    "task shop.orders.ship shop.orders.ship",
    "workflow_type shop.orders.ship shop.orders.ship",
  ]);
  expect(await near("'shipnote'")).toEqual(["task shop.mail.ship_note shop.mail.ship_note"]);
  expect(await near("parcle.shipped")).toEqual(["event_code parcel.shipped parcel.shipped"]);
  expect(await near("log exploror")).toEqual(["page log_explorer Log explorer"]);
  expect(await near("nothing like it")).toEqual([]);
  expect(await near("shop.ordres.ship", "event")).toEqual([]);
});

it("a kind before a name restricts the search to names of this kind", async () => {
  expect(await found("workflow type ship")).toEqual(["workflow_type shop.orders.ship"]);
  expect(await found("task shop.orders.ship")).toEqual(["task shop.orders.ship"]);
  expect(await found("task: sail")).toEqual(["task shop.ships.sail"]);
  expect(await found("task worker-3")).toEqual([]);
  const { query, matches, complete } = await find(app.opened, { q: ["workflow type ship"] }, PAGES);
  const type = { kind: "workflow_type", id: "shop.orders.ship" };
  expect(identifiedObject({ query, matches, complete })).toEqual(type);
  const name = await find(app.opened, { q: ["shop.orders.ship"] }, PAGES);
  expect(identifiedObject(name)).toEqual({ kind: "task", id: "shop.orders.ship" });
});

it("an invocation that defines a workflow run is found once, as the invocation", async () => {
  expect(await found("aaaa0001")).toEqual([`invocation ${RUN}`]);
  app.change((rows) => {
    rows.workflows.push({ workflow_id: "ffff0001", workflow_type_key: "shop.orders.ship", parent_workflow_id: null });
  });
  expect(await found("ffff0001")).toEqual(["workflow ffff0001"]);
});

it("an exact name is the only match; otherwise every name that contains the text matches", async () => {
  expect(await found("tasks")).toEqual(["page tasks"]);
  expect(await found("shop.orders.ship")).toEqual(["task shop.orders.ship", "workflow_type shop.orders.ship"]);
  expect(await found("'shop.orders.ship',")).toEqual(["task shop.orders.ship", "workflow_type shop.orders.ship"]);
  expect(await found("ship")).toEqual([
    "task shop.orders.ship",
    "task shop.mail.ship_note",
    "task shop.ships.sail",
    "event_code parcel.shipped",
    "workflow_type shop.orders.ship",
  ]);
  expect(await found("WORKER-3")).toEqual(["runner eeee0001-0000-4000-8000-000000000001"]);
});

it("ids among the words of a text are found, each once", async () => {
  const text =
    "order went wrong: aaaa0001...0001 (event=dddd0001-0000-4000-8000-000000000001), aaaa0001 deadbeefdeadbeef";
  // What the line names comes before its other words.
  expect(await found(text)).toEqual(["event dddd0001-0000-4000-8000-000000000001", `invocation ${RUN}`]);
  expect(await found("order went wrong")).toEqual([]);
});

it.each([`invocation:${RUN}`, "invocation:aaaa0001…0001", "it met invocation:aaaa0001...0001, twice"])(
  "%s is found as an invocation, with the kind before the id",
  async (text) => {
    expect(await found(text)).toEqual([`invocation ${RUN}`]);
  },
);

it("a search field before an id makes the text a search", async () => {
  expect(await found("id:aaaa0001")).toEqual(["query id:aaaa0001"]);
});

it("the address of a page finds what the page shows", async () => {
  expect(await found(`http://127.0.0.1:8000/invocations/${RUN}?app=x`)).toEqual([`invocation ${RUN}`]);
  expect(await found("/tasks/shop.mail.ship_note")).toEqual(["task shop.mail.ship_note"]);
});

it("runners are found by host and process as they are printed, and not by the process number alone", async () => {
  const shop = memoryApp()
    .context("r1", { runner_cls: "ThreadRunner", hostname: "Worker-3", pid: 977 })
    .context("r2", { runner_cls: "ThreadRunner", hostname: "Worker-3", pid: 9771 });
  const runners = async (q: string) => (await find(shop.opened, { q: [q] }, PAGES)).matches.map(({ id }) => id);
  expect(await runners("worker-3:977")).toEqual(["r1"]);
  expect(await runners("(ThreadRunner Worker-3:977)")).toEqual(["r1"]);
  expect((await runners("worker-3")).sort()).toEqual(["r1", "r2"]);
  expect(await runners("977")).toEqual([]);
});

describe("a word for the outcome of invocations", () => {
  const failing = (task: string, type: string) => ({
    task,
    history: [[at(0), "registered"] as const, [at(1), "failed"] as const],
    exception: JSON.stringify({ error_name: type, pynenc_error: false, error_data: "{}" }),
  });
  const shop = memoryApp()
    .invocation("a", failing("shop.pay", "CardDeclined"))
    .invocation("b", failing("shop.running_late", "Declined"))
    .invocation("c", { task: "shop.pay", arguments: { note: '"card decline"' } });
  const searches = async (q: string) =>
    (await find(shop.opened, { q: [q] }, PAGES)).matches.map(({ kind, id, label }) => `${kind} ${id}: ${label}`);

  it("that is a status finds the invocations in it, and also tasks with that word", async () => {
    expect(await searches("Failed")).toEqual(["query status:failed: Invocations with status failed"]);
    expect(await searches("stuck")).toEqual(["query is:stuck: Invocations that are stuck"]);
    expect(await searches("running")).toEqual([
      "task shop.running_late: shop.running_late",
      "query status:running: Invocations with status running",
    ]);
    expect(await searches("shop.pay")).toEqual(["task shop.pay: shop.pay"]);
    expect(await searches("fa")).toEqual([]);
  });

  it("that is an exception finds the failures with it, and a part of a name finds each one that contains it", async () => {
    const one = "query exception:CardDeclined: Invocations that failed with CardDeclined";
    const other = "query exception:Declined: Invocations that failed with Declined";
    expect(await searches("`CARDDECLINED`,")).toEqual([one]);
    expect(await searches("Declined")).toEqual([other]);
    expect(await searches("decline")).toEqual([
      other,
      one,
      "query arg:decline: 1 invocation with this text in the arguments",
    ]);
    expect(await searches("De")).toEqual([]);
  });
});

it("an action is found by its name, under its own kind", async () => {
  expect(await found("purge")).toEqual(["action purge"]);
  expect(await found("Purge all data")).toEqual(["action purge"]);
});

it("a long text is shown shortened in the list of what was tried", async () => {
  const { tried } = await find(app.opened, { q: ["deadbeef".repeat(20)] }, PAGES);
  expect(tried.join("\n")).toContain(`${"deadbeef".repeat(10)}…`);
  expect(tried.join("\n")).not.toContain("deadbeef".repeat(11));
});

it("an answer is incomplete if names were left out", async () => {
  const many = memoryApp().invocations(20, (n) => ({ task: `shop.task_${n}` }));
  const answer = await find(many.opened, { q: ["task_"] }, PAGES);
  expect([answer.matches.length, answer.complete]).toEqual([10, false]);
});

describe("a text that is no id and no name", () => {
  const orders = (count: number) =>
    memoryApp().invocations(count, (n) => ({
      arguments: { order_id: JSON.stringify(`ORD-${n < 5 ? 7 : n}`), note: '"a, b"' },
    }));
  const search = (shop: ReturnType<typeof orders>, q: string, kind = "") =>
    find(shop.opened, { q: [q], kind: [kind] }, PAGES);

  it("is found with what followed the invocations that carry it, unless there are too many families", async () => {
    const app = orders(1)
      .invocation("child", { task: "shop.pack", parent: "i0" })
      .invocation("grandchild", { task: "shop.print", parent: "child" });
    const { matches } = await search(app, "ORD-7");
    expect(matches.map(({ kind, id, label, task_id_key }) => [kind, id, label, task_id_key])).toEqual([
      ["query", "arg:ORD-7", "1 invocation with this text in the arguments", null],
      ["family", "i0", "2 more invocations followed, among them shop.pack and shop.print", "shop.pay"],
    ]);
    const again = app.invocation("repeat", { parent: "grandchild", arguments: { order_id: '"ORD-7"' } });
    expect((await search(again, "ORD-7")).matches.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      "query arg:ORD-7",
      "family i0",
    ]);
    const many = orders(5).invocation("child", { parent: "i0" });
    expect((await search(many, "ORD-7")).matches.map(({ kind }) => kind)).toEqual(["query"]);
  });

  it("is searched in the arguments of invocations, and found as a list of them", async () => {
    const { matches, complete, tried } = await search(orders(20), "ord-7");
    expect(matches).toEqual([
      expect.objectContaining({
        kind: "query",
        id: "arg:ord-7",
        label: "6 invocations with this text in the arguments",
      }),
    ]);
    expect([complete, tried.at(-1)]).toEqual([true, "arguments of invocations"]);
    expect((await search(orders(3), "a, b")).matches[0]?.id).toBe('arg:"a, b"');
    expect((await search(orders(3), "ORD")).matches[0]?.label).toBe("3 invocations with this text in the arguments");
  });

  it("has a minimum count if there are more matches than were counted", async () => {
    expect((await search(orders(150), "ORD-")).matches[0]?.label).toBe(
      "100 invocations or more with this text in the arguments",
    );
  });

  it("has an incomplete answer if older invocations were not searched", async () => {
    const { matches, complete, tried, near } = await search(orders(2_100), "ORD-99999");
    expect([matches, complete, tried.at(-1)]).toEqual([[], false, "arguments of the newest 2,000 invocations"]);
    // The search that looks at older ones too.
    expect(near.map(({ kind, id }) => `${kind} ${id}`)).toEqual(["query arg:ORD-99999"]);
  });

  it("is searched as far as requested, with progress", async () => {
    const progress: number[] = [];
    const onProgress = (looked: number, found: number) => progress.push(looked, found);
    const shop = orders(2_100);
    const { matches } = await find(shop.opened, { q: ["ORD-7"] }, PAGES, { invocations: 3_000, onProgress });
    expect(matches[0]?.label).toBe("100 invocations or more with this text in the arguments");
    const [looked = 0, met = 0] = progress.slice(-2);
    expect([looked > 100, met > 100, looked >= met]).toEqual([true, true, true]);
    const further = await find(shop.opened, { q: ["ORD-99999"] }, PAGES, { invocations: 3_000, onProgress });
    expect([further.complete, progress.slice(-2)]).toEqual([true, [2_100, 0]]);
  });

  it("is not found if no argument contains it, and not searched if it is too short or of another kind", async () => {
    const nothing = await search(orders(20), "ORD-99");
    expect([nothing.matches, nothing.complete]).toEqual([[], true]);
    expect(nothing.tried.at(-1)).toBe("arguments of invocations");
    for (const [q, kind] of [
      ["RD", ""],
      ["ORD-7", "event"],
      ["ORD-7".padEnd(201, "x"), ""],
    ] as const) {
      const { matches, tried } = await search(orders(20), q, kind);
      expect([matches, tried.join(" ")]).toEqual([[], expect.not.stringContaining("arguments")]);
    }
  });
});

it("an exact id is the only match: names that contain it and further runners are not looked at", async () => {
  const many = memoryApp().invocation("a");
  for (let n = 0; n < 501; n++) many.context(`r${n}`);
  expect(await find(many.opened, { q: ["a"] }, PAGES)).toMatchObject({ matches: [{ id: "a" }], complete: true });
});

it("a text is a search for invocations only if it has a field and no mistake", async () => {
  for (const search of ["status:failed", "task:ship -is:final", "run>5s", "since:2h status:failed,killed"]) {
    expect(await found(search)).toEqual([`query ${search}`]);
  }
  for (const none of ["status:no-such-status", "colour:red", "failed yesterday", "http://x.y", "run>soon"]) {
    expect([none, await found(none)]).toEqual([none, []]);
  }
});

it("a text with a given kind is not a search for invocations, although it has a field", async () => {
  for (const kind of ["invocation", "event"]) {
    const { matches } = await find(app.opened, { q: ["status:failed"], kind: [kind] }, PAGES);
    expect([kind, matches]).toEqual([kind, []]);
  }
});

describe("an event that only a valid condition names", () => {
  const EVENT = "abcd0001-0000-4000-8000-000000000001";
  const VALID = `valid_condition_event#paid_context_event_paid_${EVENT}`;
  const waiting = memoryApp()
    .validCondition("valid_condition_x", { condition: "{" })
    .validCondition(VALID, validEvent(EVENT));
  const meant = async (q: string, kind = "") => {
    const { matches, tried } = await find(waiting.opened, { q: [q], kind: [kind] }, PAGES);
    return { matches: matches.map((one) => `${one.kind} ${one.id}`), tried: tried.at(-1) };
  };

  it.each([EVENT, EVENT.toUpperCase(), `"${EVENT}"`, "abcd0001", "abcd0001…0001", "abcd0001...0001"])(
    "is found by %s as the valid condition",
    async (text) => {
      const { matches, tried } = await meant(text);
      expect([matches, tried]).toEqual([
        [`valid_condition ${VALID}`],
        "events that the latest 100 valid conditions name",
      ]);
      expect((await meant(text, "event")).matches).toEqual(matches);
    },
  );

  it("is found as ten valid conditions at most", async () => {
    const many = memoryApp();
    for (let n = 0; n < 11; n++) {
      many.validCondition(`valid_condition_event#paid${n}_context_event_paid_${EVENT}`, validEvent(EVENT));
    }
    expect((await find(many.opened, { q: [EVENT] }, PAGES)).matches).toHaveLength(10);
  });

  it.each(["abcd0002", "abc", "paid", "0001"])("is not found by %s", async (text) => {
    expect((await meant(text)).matches).toEqual([]);
  });

  it("is not looked for under another kind, nor once the event is stored", async () => {
    expect((await meant(EVENT, "invocation")).matches).toEqual([]);
    waiting.event(EVENT, { event_code: "paid" });
    expect((await meant(EVENT)).matches).toEqual([`event ${EVENT}`]);
  });
});

it("the ids of a log line are looked for in other apps of the store only if no kind is given", async () => {
  const id = "abcd0002-0000-4000-8000-000000000001";
  const other = memoryApp({ app_id: "mail" }).invocation(id);
  const opened = { ...memoryApp().opened, others: async () => [other.store] };
  const near = async (q: string, kind = "") =>
    (await find(opened, { q: [q], kind: [kind] }, PAGES)).near.map((one) => `${one.kind} ${one.id} ${one.label}`);
  const line = `worker-3 took invocation:${id} from the queue`;
  expect(await near(line)).toEqual([`invocation ${id} in the app mail`]);
  expect(await near(line, "event")).toEqual([]);
  expect(await near(id, "invocation")).toEqual([`invocation ${id} in the app mail`]);
});
