/** The tasks and triggers of the demo shop, and what its code would do. */
import { type PythonValue, pythonFloat } from "../../pynenc/python-dump.ts";
import {
  callableFilter,
  onCron,
  onEvent,
  onException,
  onResult,
  onStatus,
  staticFilter,
} from "../writer/conditions.ts";
import type { BrokerSettings, TaskRun, TaskSpec } from "./app.ts";
import { RetryRequested, TaskError } from "./errors.ts";
import type { Random } from "./random.ts";
import type { Steps } from "./scheduler.ts";
import { argumentsFromEvent, fixedArguments, type TriggerSpec } from "./triggers.ts";

const CUSTOMERS = ["Zoë Brontë", "Łukasz Wójcik", "山田 太郎", "Grace O'Neil", "José <Pepe> Ñandú", "Åsa Lindström 🚲"];
const SKUS = ["LAMP-01", "DESK-77", "CHAIR-12", "RUG-β", "SHELF-9", "MUG-3"];

/** Number of variants of large values: few, so that a long-running demo does not fill the client data store. */
const LARGE_VARIANTS = 8;

export const PLACE_ORDER = "shop.orders.place_order";
export const EXPORT_YEAR = "shop.reports.export_year";
export const DELIVER_MAIL = "shop.mail.deliver";
export const IMPORT_ITEM = "shop.catalog.import_item";
export const REBUILD_INDEX = "shop.catalog.rebuild_index";
export const SEND_NEWSLETTER = "shop.mail.send_newsletter";
export const HANDLE_RETURN = "shop.returns.handle_return";
const RETURN_STEPS = [
  "shop.returns.receive_parcel",
  "shop.returns.inspect",
  "shop.payments.refund",
  "shop.mail.send_refund",
];
export const RENDER_REPORT = "shop.reports.render";

// Arguments that always fail, so that every story shows a failure.
export const COUNT_SHELF = "shop.stock.count_shelf";
export const MISCOUNTED_SKU = "GHOST-0";
export const CHARGE_CARD = "shop.payments.charge_card";
export const EXPIRED_CARD = "expired";

export const MAIL_QUEUE = "mail";
export const REPORT_QUEUE = "reports";

/** Orders have priority in every queue; other tasks have their own priorities. */
export const SHOP_BROKER: BrokerSettings = {
  queues: ["default", MAIL_QUEUE, REPORT_QUEUE],
  priority_rules: [{ task_id: "shop.orders.*", priority: 20 }],
};

/** Arguments of one order as a web server would pass them. */
export function newOrder(random: Random, number: number): Record<string, PythonValue> {
  const items = Array.from({ length: random.int(1, 3) }, () => random.pick(SKUS));
  const total = random.int(900, 90_000) / 100;
  return {
    order_id: `ORD-${String(number).padStart(5, "0")}`,
    customer: random.pick(CUSTOMERS),
    items,
    total: pythonFloat(total),
    vip: random.chance(0.15),
  };
}

function largeText(variant: number): string {
  return `sales by hour, variant ${variant}: ${"0123456789abcdef ".repeat(120 + variant)}`;
}

function* placeOrder(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.1, 0.6);
  const order_id = run.text("order_id");
  const total = run.number("total");
  const items = run.text("items").split(",");
  const children = [
    run.call("shop.stock.reserve", { order_id, items, warehouse: run.random.int(1, 2) }),
    run.call("shop.payments.authorize", { order_id, amount: pythonFloat(total) }),
  ];
  const outcomes = yield* run.wait(children, { pause: run.random.chance(0.3) });
  run.emit("order.placed", { order_id, total: pythonFloat(total), vip: run.text("vip") === "true" });
  if (outcomes.includes("failed")) {
    throw new TaskError("OrderRejected", `order ${order_id} rejected`, { module: "shop.orders", state: { order_id } });
  }
  yield* run.work(0.05, 0.2);
  return { "py/object": "shop.models.Order", order_id, total: pythonFloat(total), placed: true };
}

function* reserveStock(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.2, 1.5);
  const counts = [SKUS[0], SKUS[3]]
    .slice(0, run.random.int(1, 2))
    .map((sku) => run.call(COUNT_SHELF, { sku: sku ?? "" }));
  yield* run.wait(counts);
  if (run.random.chance(0.03)) throw new TaskError("KeyError", "'no such shelf: Gang 7 übervoll'");
  run.emit("stock.reserved", { order_id: run.text("order_id") });
  return { "py/tuple": [run.text("order_id"), counts.length] };
}

function* countShelf(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.1, 2.5);
  const negative = run.text("sku") === MISCOUNTED_SKU || run.random.chance(0.06);
  const count = negative ? -run.random.int(1, 9) : run.random.int(3, 120);
  if (count > 0 && count < 12) run.emit("stock.low", { sku: run.text("sku"), count });
  return count;
}

function* authorize(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.2, 1);
  if (run.random.chance(0.12)) throw new RetryRequested();
  const charge = run.call(CHARGE_CARD, { order_id: run.text("order_id") });
  const [outcome] = yield* run.wait([charge]);
  if (outcome === "failed") throw new TaskError("ValueError", "payment not captured");
  run.emit("payment.captured", { order_id: run.text("order_id"), amount: pythonFloat(run.number("amount")) });
  return { status: "captured", reference: run.random.uuid() };
}

function* chargeCard(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.4, 4);
  if (run.text("card") === EXPIRED_CARD || run.random.chance(0.08)) {
    const order_id = run.text("order_id");
    const state = { order_id, code: 402 };
    throw new TaskError("CardDeclined", `card declined for ${order_id} (402)`, { module: "shop.payments", state });
  }
  return true;
}

function* fulfilOrder(run: TaskRun): Steps<PythonValue> {
  run.set("attempt", run.attempt + 1);
  run.useDeterministicHelpers(run.random.int(1, 2));
  yield* run.work(0.3, 1);
  const parcel = run.random.int(1, 9999);
  const pack = run.call("shop.fulfilment.pack", { parcel });
  yield* run.wait([pack]);
  run.set("step:packed", { done: true, ms: run.random.int(200, 900) });
  if (run.random.chance(0.2)) run.set("manifest", largeText(run.random.int(1, LARGE_VARIANTS)));
  run.emit("parcel.shipped", { parcel, carrier: "Ömer Kargo" });
  return "shipped";
}

function* pack(run: TaskRun): Steps<PythonValue> {
  run.set("level", 2);
  const label = run.call("shop.fulfilment.print_label", { parcel: run.number("parcel"), copies: 2 });
  yield* run.wait([label]);
  yield* run.work(0.3, 2);
  return { "py/set": [run.number("parcel")] };
}

/** Takes one step after the other. What a step raises is raised again where its result is awaited, so the later ones are never called. */
function* handleReturn(run: TaskRun): Steps<PythonValue> {
  const order = { order_id: run.text("order_id"), card: run.text("card") };
  for (const step of RETURN_STEPS) {
    const [outcome] = yield* run.wait([run.call(step, order)]);
    if (outcome === "failed") throw refundRejected(run);
  }
  return "refunded";
}

function* refund(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.5, 2);
  if (run.text("card") === EXPIRED_CARD) throw refundRejected(run);
  return true;
}

function refundRejected(run: TaskRun): TaskError {
  const order_id = run.text("order_id");
  const state = { order_id, code: 410 };
  return new TaskError("RefundRejected", `card of ${order_id} has expired (410)`, { module: "shop.payments", state });
}

function* hourlySales(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.5, 2);
  const source = largeText(run.random.int(1, LARGE_VARIANTS));
  const parts = ["north", "south", "übersee"].map((region) => run.call(RENDER_REPORT, { region, source }));
  yield* run.wait(parts);
  return largeText(run.random.int(1, LARGE_VARIANTS));
}

function* renderReport(run: TaskRun): Steps<PythonValue> {
  yield* run.work(1, 12);
  if (run.random.chance(0.25))
    throw new TaskError("TimeoutError", `no data for ${run.text("region")}`, { envelope: "json" });
  return {
    __pynenc__json_serializable__: {
      module: "shop.reports",
      qualname: "Report",
      data: { pages: run.random.int(1, 40) },
    },
  };
}

/** Fails a given number of times before it succeeds, to show retries. */
function* deliverMail(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.3, 1.5);
  if (run.attempt < run.number("greylisted")) throw new RetryRequested();
  return `delivered at attempt ${run.attempt + 1}`;
}

function* exportYear(run: TaskRun): Steps<PythonValue> {
  yield* run.work(run.number("seconds") * 0.9, run.number("seconds") * 1.1);
  return { rows: 120_000, file: "/srv/export/2026.csv" };
}

/** Returns its argument: used for values of all kinds. */
function* importItem(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.1, 0.5);
  if (run.text("note") === "fails deeply")
    throw new TaskError("RuntimeError", `tooth by tooth: ${"\n  in gear".repeat(140)}`);
  return Number.NaN;
}

function* sendTracking(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.2, 0.8);
  // No trigger has a condition for this event.
  run.emit("mail.sent", {
    kind: "tracking",
    body: run.random.chance(0.1) ? largeText(1) : "Ihr Paket ist unterwegs ✈",
  });
  return null;
}

function* correctStock(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.2, 0.8);
  run.emit("stock.corrected", { by: 10 });
  return 0;
}

function* restock(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.5, 1.5);
  run.emit("restock.ordered", { supplier: "Möbel & Söhne" });
  return "ordered";
}

function* recoverPending(run: TaskRun): Steps<PythonValue> {
  yield 0.01;
  run.app.recoverPending(run.contextId);
  return null;
}

function* recoverRunning(run: TaskRun): Steps<PythonValue> {
  yield 0.01;
  run.app.recoverRunning(run.contextId);
  return null;
}

/** A task that only takes time. */
export function takes(low: number, high: number, result: PythonValue = null): TaskSpec["body"] {
  return function* (run) {
    yield* run.work(low, high);
    return result;
  };
}

/** Tasks that pynenc itself adds to every app. */
export const CORE_TASKS: readonly TaskSpec[] = [
  { key: "pynenc.core_tasks.recover_pending_invocations", concurrency: "drop", body: recoverPending },
  { key: "pynenc.core_tasks.recover_running_invocations", concurrency: "drop", body: recoverRunning },
];

export const SHOP_TASKS: readonly TaskSpec[] = [
  ...CORE_TASKS,
  { key: PLACE_ORDER, body: placeOrder },
  { key: "shop.stock.reserve", body: reserveStock },
  { key: COUNT_SHELF, body: countShelf },
  { key: "shop.stock.correct", body: correctStock },
  { key: "shop.stock.restock", body: restock },
  { key: "shop.stock.sync_inventory", body: takes(2, 20, { synced: 6 }) },
  { key: "shop.payments.authorize", maxRetries: 3, body: authorize },
  { key: CHARGE_CARD, priority: 10, body: chargeCard },
  { key: "shop.payments.review_large_order", body: takes(3, 15, "approved") },
  { key: "shop.fulfilment.fulfil_order", workflow: true, body: fulfilOrder },
  { key: "shop.fulfilment.pack", workflow: true, body: pack },
  { key: HANDLE_RETURN, workflow: true, body: handleReturn },
  { key: "shop.returns.receive_parcel", body: takes(0.3, 1, "received") },
  { key: "shop.returns.inspect", body: takes(1, 4, "as new") },
  { key: "shop.payments.refund", body: refund },
  { key: "shop.mail.send_refund", queue: MAIL_QUEUE, body: takes(0.2, 0.6) },
  { key: "shop.fulfilment.print_label", body: takes(0.2, 1, "label.pdf") },
  { key: "shop.mail.send_confirmation", queue: MAIL_QUEUE, priority: 5, body: takes(0.2, 1.2) },
  { key: "shop.mail.greet_vip", queue: MAIL_QUEUE, body: takes(0.2, 0.6, "grüß Gott") },
  { key: "shop.mail.send_tracking", queue: MAIL_QUEUE, body: sendTracking },
  { key: "shop.mail.ask_other_card", queue: MAIL_QUEUE, priority: 10, body: takes(0.2, 0.9) },
  { key: DELIVER_MAIL, queue: MAIL_QUEUE, maxRetries: 3, body: deliverMail },
  { key: SEND_NEWSLETTER, queue: MAIL_QUEUE, priority: -10, concurrency: "drop", body: takes(4, 9, 1204) },
  { key: REBUILD_INDEX, concurrency: "reroute", body: takes(1, 3) },
  { key: IMPORT_ITEM, body: importItem },
  { key: "shop.reports.hourly_sales", queue: REPORT_QUEUE, body: hourlySales },
  { key: RENDER_REPORT, queue: REPORT_QUEUE, priority: 0.5, body: renderReport },
  { key: EXPORT_YEAR, queue: REPORT_QUEUE, priority: -50, body: exportYear },
  { key: "shop.support.open_ticket", body: takes(0.1, 0.4, { ticket: 7 }) },
];

export const CORE_TRIGGERS: readonly TriggerSpec[] = [
  { task: "pynenc.core_tasks.recover_pending_invocations", on: [onCron("*/5 * * * *", 300)] },
  { task: "pynenc.core_tasks.recover_running_invocations", on: [onCron("*/15 * * * *", 900)] },
];

const isLarge = callableFilter("shop.orders", "is_large", (payload) => Number(payload.total) > 500);
const isNegative = callableFilter("shop.stock", "is_negative", (values) => Number(values.result) < 0, "Result");

export const SHOP_TRIGGERS: readonly TriggerSpec[] = [
  ...CORE_TRIGGERS,
  { task: "shop.stock.sync_inventory", on: [onCron("*/10 * * * *", 600)] },
  { task: "shop.reports.hourly_sales", on: [onCron("0 * * * *", 3600)] },
  {
    task: "shop.mail.send_confirmation",
    on: [onEvent("order.placed")],
    provider: argumentsFromEvent("shop.mail", "_order_of", ({ order_id = '""' }) => ({ order_id })),
  },
  {
    task: "shop.payments.review_large_order",
    on: [onEvent("order.placed", isLarge)],
    provider: argumentsFromEvent("shop.payments", "_order_and_total", ({ order_id = '""', total = "0.0" }) => ({
      order_id,
      total,
    })),
  },
  {
    task: "shop.mail.greet_vip",
    on: [onEvent("order.placed", staticFilter({ vip: true }))],
    provider: fixedArguments({ text: "Schön, dass Sie da sind", copies: 1 }),
  },
  { task: "shop.fulfilment.fulfil_order", on: [onEvent("payment.captured"), onEvent("stock.reserved")] },
  {
    task: "shop.mail.send_tracking",
    on: [onEvent("parcel.shipped")],
    provider: argumentsFromEvent("shop.mail", "_carrier_of", ({ carrier = '""' }) => ({ carrier })),
  },
  { task: "shop.stock.restock", on: [onEvent("stock.low"), onEvent("stock.corrected")], logic: "or" },
  { task: "shop.stock.correct", on: [onResult(COUNT_SHELF, isNegative)] },
  { task: "shop.support.open_ticket", on: [onStatus(RENDER_REPORT, ["failed", "retry"])] },
  { task: "shop.mail.ask_other_card", on: [onException(CHARGE_CARD, ["CardDeclined"])] },
];
