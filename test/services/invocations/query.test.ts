/** The search language: which invocations each term finds, as a parameter of a store's index or as a condition on candidates. */
import { describe, expect, it, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import {
  exportInvocations,
  listInvocations,
  readInvocationInput,
} from "../../../src/services/invocations/invocations.ts";
import { formQuery } from "../../../src/services/model/invocation-query.ts";
import { readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const EXTERNAL = JSON.stringify({ sku: "RARE-1", note: "in the client data store" });

const exception = (error_name: string, message: string) =>
  JSON.stringify({
    error_name,
    pynenc_error: false,
    error_data: JSON.stringify({ __pynenc__std_py_exc__: { type: error_name, args: [message], message } }),
  });

/** Six invocations, each different in all that can be asked for. */
function shop(): MemoryApp {
  return memoryApp({ now: at(1_000) })
    .invocation("pay-1", {
      task: "shop.orders.pay",
      arguments: { order_id: '"ORD-10012"', amount: "12.5" },
      history: [
        [at(0), "registered"],
        [at(70), "pending"],
        [at(71), "running"],
        [at(81), "failed"],
      ],
      exception: exception("CardDeclined", "The card ending in 4242 was declined"),
    })
    .invocation("pay-2", {
      task: "shop.orders.pay",
      arguments: { order_id: '"ORD-10013"', options: '{"region": "eu", "lines": [1, 2]}' },
      history: [
        [at(1), "registered"],
        [at(2), "pending"],
        [at(3), "running"],
        [at(4), "retry"],
        [at(5), "running"],
        [at(8), "retry"],
        [at(9), "running"],
        [at(10), "success"],
      ],
      parent: "pay-1",
    })
    .value(EXTERNAL)
    .invocation("ship", {
      task: "shop.mail.ship",
      arguments: { item: clientDataKey(EXTERNAL), region: '"eu"' },
      history: [
        [at(2), "registered"],
        [at(3), "pending"],
        [at(4), "running"],
      ],
      workflow: { id: "pay-1", type: "shop.orders.pay" },
    })
    .invocation("old", {
      task: "shop.mail.letter",
      status: null,
      history: [
        [at(3), "registered"],
        [at(4), "failed"],
      ],
      exception: exception("Timeout", "no answer in 30 s"),
    })
    .invocation("lost", { task: "pynenc.core_tasks.recover", history: [[at(4), "registered"]] })
    .invocation("gone", { task: "shop.mail.ship", definition: null, history: [[at(5), "registered"]] })
    .heartbeat("r1", { last_heartbeat: at(995) })
    .message("gone", at(5));
}

const found = async (app: MemoryApp, q: string, more: Record<string, string[]> = {}) => {
  const input = await readInvocationInput(app.opened, { q: [q], ...more });
  const { invocations } = await listInvocations(app.opened, input);
  return invocations.map((row) => row.invocation_id).sort();
};

describe("a query finds", () => {
  test.each<[string, string[]]>([
    ["", ["gone", "lost", "old", "pay-1", "pay-2", "ship"]],
    ["status:failed", ["old", "pay-1"]],
    ["status:FAILED,success", ["old", "pay-1", "pay-2"]],
    ["-status:failed,registered", ["pay-2", "ship"]],
    ["task:shop.orders.pay", ["pay-1", "pay-2"]],
    ["task:shop.mail.*", ["gone", "old", "ship"]],
    ["task:ship,letter", ["gone", "old", "ship"]],
    ["-task:pynenc.* -task:shop.orders.*", ["gone", "old", "ship"]],
    ["task:shop.orders.pay status:failed", ["pay-1"]],
    ["status:failed -task:pay", ["old"]],
    ["error:CardDeclined", ["pay-1"]],
    ["error:carddeclined,timeout", ["old", "pay-1"]],
    ['error:"ending in 4242"', ["pay-1"]],
    ["exception:CardDeclined", ["pay-1"]],
    ["exception:CardDecline,declined", []],
    ["-error:CardDeclined", ["gone", "lost", "old", "pay-2", "ship"]],
    ["arg:ORD-10012", ["pay-1"]],
    ["arg:ord-1001", ["pay-1", "pay-2"]],
    ["arg.order_id=ORD-10013", ["pay-2"]],
    ["arg.order_id=ORD-1001", []],
    ["arg.amount=12.5", ["pay-1"]],
    ["arg.options.region=eu", ["pay-2"]],
    ["arg.options.lines=[1,2]", []],
    ['arg.options.lines="[1,2]"', ["pay-2"]],
    ["arg.region=eu", ["ship"]],
    ["arg:RARE-1", ["ship"]],
    ["arg.item.sku=RARE-1", ["ship"]],
    ["-arg.region=eu", ["lost", "old", "pay-1", "pay-2"]],
    ["ORD-10012", ["pay-1"]],
    ["letter", ["old"]],
    ["ORD-10012 eu", []],
    ["-ship", ["lost", "old", "pay-1", "pay-2"]],
    ["run>=10s", ["pay-1", "ship"]],
    ["run>10s", ["ship"]],
    ["run>4.5 status:success", ["pay-2"]],
    ["run>5s status:success", []],
    ["run<1m -status:registered,failed", ["pay-2"]],
    ["wait>1m", ["gone", "lost", "pay-1"]],
    ["wait>70s status:failed", ["pay-1"]],
    ["retries>=2", ["pay-2"]],
    ["retries=0", ["gone", "lost", "pay-1", "ship"]],
    ["retries>2", []],
    ["has:children", ["pay-1"]],
    ["has:error", ["old", "pay-1"]],
    ["has:parent", ["pay-2"]],
    ["-has:parent,error", ["gone", "lost", "ship"]],
    ["is:final", ["old", "pay-1", "pay-2"]],
    ["is:waiting", ["gone", "lost"]],
    ["is:stuck", ["lost"]],
    ["-is:stuck is:waiting", ["gone"]],
    ["is:stuck task:shop.*", []],
    ["parent:pay-1", ["pay-2"]],
    ["parent:pay-1 status:success", ["pay-2"]],
    ["-parent:pay-1", ["lost", "old", "pay-1", "ship"]],
    ["workflow:pay-1", ["ship"]],
    ["-workflow:pay-1", ["lost", "old", "pay-1", "pay-2"]],
    ["type:shop.orders.pay", ["ship"]],
    ["runner:r1 status:success", ["pay-2"]],
    ["registered_by:client parent:pay-1", ["pay-2"]],
    ["call:shop.mail.letter:no_args", ["old"]],
    ["-call:shop.mail.letter:no_args", ["gone", "lost", "pay-1", "pay-2", "ship"]],
    ["id:pay", ["pay-1", "pay-2"]],
    ["since:16m29s until:15m", ["pay-1"]],
    ["since:16m29s until:15m error:declined", ["pay-1"]],
    ["since:16m29s until:15m error:timeout", []],
  ])("%s", async (query, expected) => {
    expect(await found(shop(), query)).toEqual(expected);
  });

  it("what matches both the form and the text", async () => {
    expect(await found(shop(), "status:failed", { status: ["failed", "success"] })).toEqual(["old", "pay-1"]);
    expect(await found(shop(), "status:failed", { status: ["success"] })).toEqual([]);
    expect(await found(shop(), "task:shop.orders.pay", { task_id: ["shop.mail.ship"] })).toEqual([]);
    expect(await found(shop(), "parent:pay-1 parent:pay-1")).toEqual(["pay-2"]);
  });

  it("the same invocations in an export and on a timeline", async () => {
    const { opened } = shop();
    const { filter } = await readInvocationInput(opened, { q: ["error:CardDeclined"] });
    const ids: string[] = [];
    for await (const rows of exportInvocations(opened, filter)) ids.push(...rows.map((row) => row.invocation_id));
    expect(ids).toEqual(["pay-1"]);
    const input = await readTimelineInput(opened, { q: ["arg:ORD-10013"], range: ["1h"] });
    expect((await timeline(opened, input)).invocations.map((one) => one.invocation_id)).toEqual(["pay-2"]);
  });
});

describe("the form for a query", () => {
  it.each([
    ["status:failed,killed run>5s", { status: ["failed", "killed"], q: ["run>5s"] }],
    [
      "task:shop.orders.pay type:shop.flow call:shop.orders.pay:no_args",
      {
        task_id: ["shop.orders.pay"],
        workflow_type: ["shop.flow"],
        call_id: ["shop.orders.pay:no_args"],
        q: [""],
      },
    ],
    // A name, a pattern, an exclusion and a time are no values of a field.
    ["task:pay task:shop.* -status:failed since:2h", { q: ["task:pay task:shop.* -status:failed since:2h"] }],
    // The first becomes the field, the second has to match too.
    ["status:failed status:killed", { status: ["failed"], q: ["status:killed"] }],
    ['id:ab "two words"', { id_prefix: ["ab"], q: ['"two words"'] }],
  ])("has the terms of %s in its fields as far as they fit", (q, form) => {
    expect(formQuery({ q: [q] })).toEqual(form);
  });

  it("keeps fields that are already set", () => {
    const given = { q: ["status:failed"], status: ["success"], limit: ["3"] };
    expect(formQuery(given)).toEqual(given);
  });

  it.each([
    "status:failed",
    "task:shop.orders.pay run>5s",
    "parent:pay-1 -status:failed",
    "status:failed status:success",
    "ORD",
  ])("finds the same invocations when it is sent again: %s", async (q) => {
    const app = shop();
    const found = async (raw: RawInput) =>
      (await listInvocations(app.opened, await readInvocationInput(app.opened, raw))).invocations;
    expect(await found(formQuery({ q: [q] }))).toEqual(await found({ q: [q] }));
    expect(await found({})).toHaveLength(6);
  });
});

describe("a query is refused", () => {
  test.each([
    ["colour:red stauts:failed", "expected one of the fields status, task, exception, error"],
    ["run:soon", 'run:soon" is not accepted; expected time running, such as run>5s'],
    ["retries>=many", "number of retries"],
    ["status>failed", "expected status: and a value"],
    ["task.x:y", "task has no x"],
    ["is:lost", "stuck, final, waiting"],
    ["is:stuck,final", "is:stuck as a term of its own"],
    ["has:luck", "children, error, parent"],
    ["-since:2h", "since cannot be negated"],
    ["runner:a,b", "one value for runner, once"],
    ["runner:a runner:b", "one value for runner, once"],
    ["status:done", "one or more of registered"],
    ["since:soon", "how long ago"],
    ['error:"', "a closing quote"],
    ["since:-1h", "how long ago"],
    ["since:1H", "how long ago"],
    ["since:9999-12-31", 'q: "since:9999-12-31" is not accepted; expected how long ago'],
    ["until:99999d", 'q: "until:99999d" is not accepted; expected how long ago'],
    ["since>2h", "expected since: and a value"],
    ["run>1,5s", "expected one value: time running, such as run>5s or run>1.5s"],
    ["run:1,5s", "expected one value: time running"],
    ["wait<=1,5", "expected one value: time queued or pending"],
    ["retries>1,5", "expected one value: number of retries"],
    ["arg.x>1,5", "expected arg: and a value"],
    ["run>", "a value for run"],
    ["wait<=", "a value for wait"],
    ["run>-5s", "time running"],
    ["run>+5s", "time running"],
    ["run>5S", "time running"],
    ["run>1e3s", "time running"],
    ["run>5s!", "time running"],
    ["run>999999999w", "time running"],
    ["run>NaN", "time running"],
    ["retries>=-1", "number of retries"],
    ["retries>=1.5", "number of retries"],
    ["retries>=9007199254740993", "number of retries"],
  ])("%s", async (query, message) => {
    const reading = readInvocationInput(shop().opened, { q: [query] });
    await expect(reading).rejects.toBeInstanceOf(InvalidInputError);
    await expect(reading).rejects.toThrow(message);
  });
});

it("the term error: matches only failed invocations, since an exception may outlive a recovery", async () => {
  const left = exception("Timeout", "left over");
  const app = memoryApp()
    .invocation("saved", {
      history: [
        [at(0), "registered"],
        [at(2), "success"],
      ],
      exception: left,
    })
    .invocation("failed", {
      history: [
        [at(0), "registered"],
        [at(2), "failed"],
      ],
      exception: left,
    });
  for (const query of [
    "error:Timeout",
    "has:error",
    "error:Timeout status:success,failed",
    "has:error -status:retry",
  ]) {
    expect(await found(app, query)).toEqual(["failed"]);
  }
  expect(await found(app, "-error:Timeout")).toEqual(["saved"]);
  expect(await found(app, "-has:error")).toEqual(["saved"]);
});

it("where nothing is stuck, is:stuck finds no invocation and -is:stuck finds all", async () => {
  const app = memoryApp({ now: at(60) }).invocation("a", { history: [[at(0), "success"]] });
  expect([await found(app, "is:stuck"), await found(app, "-is:stuck")]).toEqual([[], ["a"]]);
});

it("the term is:stuck has a note if as many are stuck as are looked for", async () => {
  const stuck = async (count: number) => {
    const app = memoryApp({ now: at(10_000) })
      .invocations(count)
      .heartbeat("r1", { last_heartbeat: at(9_995) });
    const input = await readInvocationInput(app.opened, { q: ["is:stuck"] });
    const { page, notes } = await listInvocations(app.opened, input);
    return [page.total ?? page.has_next, notes];
  };
  expect(await stuck(20)).toEqual([20, []]);
  expect(await stuck(130)).toEqual([
    true,
    ["At most 100 stuck invocations per problem are listed; there may be more."],
  ]);
});

it("a search looks at a limited number of candidates for a page, and a note says where it stopped", async () => {
  const app = memoryApp().invocations(700, (n) => ({
    task: "shop.pay",
    arguments: { order_id: n === 3 || n === 690 ? '"WANTED"' : '"other"' },
  }));
  const input = await readInvocationInput(app.opened, { q: ["arg:wanted"] });
  const { invocations, page, notes } = await listInvocations(app.opened, input, 400);
  expect(invocations.map((row) => row.invocation_id)).toEqual(["i690"]);
  expect([page.total, page.has_next]).toEqual([null, false]);
  expect(notes.join(" ")).toMatch(/^Searched 4\d\d invocations so far; older ones not yet/);
  const ids: string[] = [];
  for await (const rows of exportInvocations(app.opened, input.filter))
    ids.push(...rows.map((row) => row.invocation_id));
  expect(ids).toEqual(["i690", "i3"]);
});

it("a query accepts a status that only the store knows", async () => {
  const app = shop().invocation("warm", {
    history: [
      [at(20), "registered"],
      [at(21), "warming"],
    ],
  });
  expect(await found(app, "status:warming")).toEqual(["warm"]);
  expect(await found(app, "status:warming,success")).toEqual(["pay-2", "warm"]);
  await expect(found(shop(), "status:warming")).rejects.toThrow(InvalidInputError);
});

it("a refused query names the term that is not accepted", async () => {
  const refused = async (q: string) =>
    readInvocationInput(shop().opened, { q: [q] }).then(
      () => null,
      (error: InvalidInputError) => error.problems.map(({ parameter, value }) => [parameter, value]),
    );
  expect(await refused("task:shop.* status:faild")).toEqual([["q", "status:faild"]]);
  expect(await refused("-status:faild")).toEqual([["q", "-status:faild"]]);
  expect(await refused("since:banana status:failed")).toEqual([["q", "since:banana"]]);
  expect(await refused("STATUS:Failed -status:SUCCESS since:2h")).toBeNull();
});

it("a task is found by its function name if only one task has it", async () => {
  const keyOf = async (task: string) => {
    const app = shop().invocation("other", { task: "depot.ship" });
    return (await readInvocationInput(app.opened, { task_id: [task] })).filter.task_id_key;
  };
  expect(await keyOf("pay")).toBe("shop.orders.pay");
  expect(await keyOf("shop.orders.pay")).toBe("shop.orders.pay");
  expect(await keyOf("ship")).toBe("ship");
  expect(await keyOf("orders.pay")).toBe("orders.pay");
});

describe("a similar name", () => {
  const notes = async (raw: Record<string, string[]>) => {
    const app = shop();
    return (await listInvocations(app.opened, await readInvocationInput(app.opened, raw))).notes;
  };

  it("is suggested for an unknown task", async () => {
    expect(await notes({ task_id: ["shop.order.pay"] })).toEqual([
      'No task "shop.order.pay" is known; did you mean shop.orders.pay?',
    ]);
    expect(await notes({ q: ["task:shpi"] })).toEqual(['No task "shpi" is known; did you mean shop.mail.ship?']);
    expect(await notes({ q: ["task:nothing.like_it"] })).toEqual([
      'No task "nothing.like_it" is known. Known: pynenc.core_tasks.recover, shop.mail.letter, shop.mail.ship, shop.orders.pay.',
    ]);
    expect(await notes({ q: ["task:ship status:success"] })).toEqual([]);
    expect(await notes({ q: ["task:shpi.* -task:shpi has:error"] })).toEqual([]);
  });

  it("is suggested on the timeline too, and unknown runners and workflow types have a note", async () => {
    const RUNNER = 'No runner "nobody" is stored.';
    expect(await notes({ runner: ["nobody"] })).toEqual([expect.stringContaining("Sorted"), RUNNER]);
    expect(await notes({ registered_by: ["nobody"] })).toEqual([RUNNER]);
    expect(await notes({ parent: ["none"] })).toEqual(['No invocation "none" is stored.']);
    expect(await notes({ parent: ["pay-1"] })).toEqual([]);
    expect(await notes({ workflow_id: ["none"] })).toEqual(['No workflow run "none" is stored.']);
    expect(await notes({ workflow_type: ["none"] })).toEqual(['No workflow type "none" is known.']);
    const app = shop();
    const drawn = async (raw: Record<string, string[]>) =>
      (await timeline(app.opened, await readTimelineInput(app.opened, { range: ["1h"], ...raw }))).notes;
    const told = 'No task "shop.order.pay" is known; did you mean shop.orders.pay?';
    expect(await drawn({ task_id: ["shop.order.pay"] })).toContain(told);
    expect((await drawn({ task_id: ["shop.orders.pay"] })).join()).not.toContain("is known");
    expect((await drawn({})).join()).not.toContain("is known");
  });

  it.each([
    [{ status: ["faild"] }, /^one or more of .*; did you mean failed\?$/],
    [{ q: ["stauts:failed"] }, /^expected one of the fields .*; did you mean status\?$/],
    [{ q: ["status:faild"] }, /^one or more of .*; did you mean failed\?$/],
    [{ q: ["-status:success,faild"] }, /^one or more of .*; did you mean failed\?$/],
    [{ q: ["since:banana"] }, /^expected how long ago/],
    [{ q: ["run>1s until:banana"] }, /^expected how long ago/],
    [{ status: ["nothing like it"] }, /^one or more of [^;]*$/],
  ] as [Record<string, string[]>, RegExp][])(
    "is suggested for words that are not accepted: %j",
    async (raw, accepted) => {
      const refused = readInvocationInput(shop().opened, raw);
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toMatchObject({ problems: [{ accepted: expect.stringMatching(accepted) }] });
    },
  );
});

it("an empty list says that a word was searched in arguments if it is also the name of a status", async () => {
  const notes = async (...q: string[]) =>
    (await listInvocations(shop().opened, await readInvocationInput(shop().opened, { q }))).notes;
  expect(await notes("Failed")).toEqual([
    '"Failed" was searched in arguments. For invocations in this status: status:failed',
  ]);
  expect(await notes("fallen")).toEqual([]);
  expect(await notes("Colour:red -flavour:sweet")).toEqual([
    "Colour: is not a field; searched as text.",
    "flavour: is not a field; searched as text.",
  ]);
  expect(await notes("https://shop/1", "x:1", '"colour:red"', "10:15")).toEqual([]);
  expect(await notes("status:killed")).toEqual([]);
});
