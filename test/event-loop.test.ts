import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { inATurnOfItsOwn, ownTurn } from "../src/event-loop.ts";

test("long pieces of work are done one per turn of the event loop, in the order in which they came", async () => {
  const done: string[] = [];
  let turn = 0;
  const counting = () => {
    turn++;
    if (done.length < 4) setImmediate(counting);
  };
  setImmediate(counting);
  inATurnOfItsOwn(() => done.push(`first ${turn}`));
  const second = ownTurn().then(async () => {
    done.push(`second ${turn}`);
    await ownTurn();
    done.push(`after the third ${turn}`);
  });
  inATurnOfItsOwn(() => done.push(`third ${turn}`));
  await second;
  const turns = done.map((line) => Number(line.split(" ").at(-1)));
  expect(done.map((line) => line.replace(/ \d+$/, ""))).toEqual(["first", "second", "third", "after the third"]);
  expect(new Set(turns).size).toBe(4);
});

test("a piece of work that fails does not hold up those behind it", async () => {
  const unhandled: unknown[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.once("uncaughtException", (error) => unhandled.push(error));
  try {
    inATurnOfItsOwn(() => {
      throw new Error("of this piece");
    });
    await ownTurn();
    await sleep(0);
    expect(unhandled).toEqual([new Error("of this piece")]);
  } finally {
    for (const listener of listeners) process.on("uncaughtException", listener);
  }
});
