/** The queue length on pages about other things, which an unreachable broker must not break. */
import { expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { queueLength } from "../../../src/services/model/queue-length.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const failing = (error: Error) => ({ broker: { countMessages: () => Promise.reject(error) } }) as unknown as AppReads;

it("the queue length is the number of messages", async () => {
  const app = memoryApp().message("a").message("a");
  expect(await app.store.read(queueLength)).toEqual({ messages: 2, unreachable: null });
});

it("the queue length is null while the broker is unreachable, with the reason", async () => {
  const away = failing(new StoreUnreachableError("timeout", "RabbitMQ does not answer."));
  expect(await queueLength(away)).toEqual({ messages: null, unreachable: "RabbitMQ does not answer." });
});

it("the queue length does not hide a programming error", async () => {
  await expect(queueLength(failing(new TypeError("x is undefined")))).rejects.toBeInstanceOf(TypeError);
});
