import { createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import type { RabbitAddress } from "../../../src/stores/rabbitmq/connection.ts";
import { RabbitQueue } from "../../../src/stores/rabbitmq/queue.ts";
import { describeWithRabbit, type RabbitServer, startRabbit } from "../../support/rabbitmq-server.ts";

const QUEUE = "pynenc_broker_messages";

async function thrownBy(work: Promise<unknown>): Promise<StoreUnreachableError> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreUnreachableError);
  return error as StoreUnreachableError;
}

describeWithRabbit("a queue in RabbitMQ", () => {
  let server: RabbitServer;
  let queue: RabbitQueue;
  let now = 0;
  const opened = (address: Partial<RabbitAddress> = {}) =>
    new RabbitQueue({ ...server.address(), ...address }, () => now);
  beforeAll(async () => {
    server = await startRabbit();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    now = 0;
    queue = opened();
  });
  afterEach(async () => {
    await queue.close();
    await server.remove(QUEUE);
  });

  it("that is missing counts as empty, and is not created by counting, purging or publishing", async () => {
    expect(await queue.state()).toEqual({ exists: false, messages: 0 });
    expect(await queue.purge()).toBe(0);
    const undelivered = await queue.publish(["one", "two"]);
    expect(undelivered?.invocation_ids).toEqual(["one", "two"]);
    expect(undelivered?.reason.message).toContain(`no queue ${QUEUE}`);
    expect(await server.count(QUEUE)).toBeNull();
  });

  it("is counted without taking messages", async () => {
    await server.put(QUEUE, ["a", "b", "c"]);
    expect(await queue.state()).toEqual({ exists: true, messages: 3 });
    expect((await server.take(QUEUE)).map(({ body }) => body)).toEqual(["a", "b", "c"]);
  });

  it("gets messages in pynenc's form, after those that wait", async () => {
    await server.put(QUEUE, ["a"]);
    expect(await queue.publish(["0e5f93a1", "β/%2F"])).toBeNull();
    expect(await server.take(QUEUE)).toEqual(["a", "0e5f93a1", "β/%2F"].map((body) => ({ body, persistent: true })));
  });

  it("is emptied, and the number of deleted messages is reported", async () => {
    await server.put(QUEUE, ["a", "b"]);
    expect(await queue.purge()).toBe(2);
    expect(await server.count(QUEUE)).toBe(0);
  });

  it("keeps its count for a moment, until the monitor itself changes the queue", async () => {
    await server.put(QUEUE, ["a"]);
    expect(await queue.token()).toBe("1");
    await server.put(QUEUE, ["b"]);
    expect([await queue.state(), await queue.token()]).toEqual([{ exists: true, messages: 1 }, "1"]);
    now = 1_000;
    expect(await queue.token()).toBe("2");
    await queue.publish(["c"]);
    expect(await queue.token()).toBe("3");
    await queue.purge();
    expect(await queue.token()).toBe("0");
  });

  it.each([
    ["a wrong password", { password: "geheim-8c1f" }, "rejected the user name or password"],
    ["an unknown user", { username: "nobody", password: "geheim-8c1f" }, "rejected the user name or password"],
    ["an unknown virtual host", { virtual_host: "nowhere" }, "this user has no access to it"],
  ])("reports %s in words, without a password", async (_, wrong, words) => {
    const refused = opened(wrong);
    const error = await thrownBy(refused.state());
    expect([error.reason, error.message]).toEqual(["no-permission", expect.stringContaining(words)]);
    const told = `${error.message} ${error.hint} ${refused.location} ${(error.cause as Error).stack}`;
    expect(told).not.toContain("geheim");
    expect(told).not.toContain(server.address().password);
    expect(await refused.token()).toBe("unreachable");
    await refused.close();
  });

  it("reports that its server is gone, and works again when it is back", async () => {
    await server.put(QUEUE, ["a"]);
    expect(await queue.token()).toBe("1");
    await server.stop();
    now = 2_000;
    expect((await thrownBy(queue.state())).message).toContain("connection refused");
    expect((await thrownBy(queue.purge())).message).toContain("connection refused");
    expect((await queue.publish(["b"]))?.invocation_ids).toEqual(["b"]);
    await server.start();
    await server.put(QUEUE, []);
    await queue.purge();
    await server.put(QUEUE, ["c"]);
    expect(await queue.state()).toEqual({ exists: true, messages: 1 });
  });
});

describe("a queue on a host that does not answer", () => {
  let silent: Server;
  let address: RabbitAddress;
  beforeAll(async () => {
    silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    address = {
      host: "127.0.0.1",
      port,
      username: "u",
      password: "geheim",
      virtual_host: "/",
      queue: QUEUE,
      refused: null,
    };
  });
  afterAll(() => new Promise((resolve) => silent.close(resolve)));

  it("is tried once for all who ask at the same time", async () => {
    const queue = new RabbitQueue(address);
    const first = await thrownBy(queue.state());
    expect([first.reason, first.message]).toEqual(["timeout", expect.stringContaining("did not answer within 3 s")]);
    expect(await thrownBy(queue.state())).toBe(first);
    await queue.close();
  });

  it("is not contacted when only the store names it", async () => {
    let connections = 0;
    silent.on("connection", () => connections++);
    const queue = new RabbitQueue({ ...address, refused: "Named by the store only." });
    expect((await thrownBy(queue.state())).message).toBe("Named by the store only.");
    expect(connections).toBe(0);
  });
});
