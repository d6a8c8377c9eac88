/** The queue where it is shown in passing: a broker that is away must not take the page with it. */
import { expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { queueLength } from "../../../src/services/model/queue-length.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const failing = (error: Error) => ({ broker: { countMessages: () => Promise.reject(error) } }) as unknown as AppReads;

it("is the number of messages", async () => {
  const app = memoryApp().message("a").message("a");
  expect(await app.store.read(queueLength)).toEqual({ messages: 2, unreachable: null });
});

it("is not known while the broker is away, and says why", async () => {
  const away = failing(new StoreUnreachableError("timeout", "RabbitMQ does not answer."));
  expect(await queueLength(away)).toEqual({ messages: null, unreachable: "RabbitMQ does not answer." });
});

it("does not hide a defect", async () => {
  await expect(queueLength(failing(new TypeError("x is undefined")))).rejects.toBeInstanceOf(TypeError);
});
