/** A RabbitMQ server of a test's own: a free port of this machine, its own data, gone with the test. It takes about six seconds to start. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Channel, connect } from "amqplib";
import { describe } from "vitest";
import type { RabbitAddress } from "../../src/stores/rabbitmq/connection.ts";
import { freePort } from "./free-port.ts";

/** Of Debian's package `rabbitmq-server`; the program on the path runs as another user and elsewhere. */
const PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server";

const INSTALLED = existsSync(PROGRAM) && spawnSync("epmd", ["-help"]).error === undefined;

/** Tests that need a RabbitMQ server: skipped by name where there is none. */
export function describeWithRabbit(name: string, tests: () => void): void {
  if (INSTALLED) describe(name, tests);
  else describe.skip(`${name} (needs rabbitmq-server, which is not installed)`, tests);
}

/** A user and a virtual host that have to be escaped in addresses. */
const USER = { username: "shop", password: "p@ss/w%20rd:1", virtual_host: "/shop%2Fa" };

interface RabbitMessage {
  body: string;
  persistent: boolean;
}

export interface RabbitServer {
  /** Of a queue with this prefix. */
  address(prefix?: string): RabbitAddress;
  /** The settings of an app whose broker this is, as pynenc's variables. */
  env(prefix?: string): Record<string, string>;
  /** Declares the queue as pynenc does and puts messages into it. With a limit it takes no more than that. */
  put(queue: string, bodies: readonly string[], limit?: number): Promise<void>;
  /** Takes all messages in their order. */
  take(queue: string): Promise<RabbitMessage[]>;
  /** Null where there is no such queue. */
  count(queue: string): Promise<number | null>;
  remove(queue: string): Promise<void>;
  /** Ends the process at once, as a crash does. `start` brings it back on the same port with what was saved by then. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

/** Tries with other ports if another program took one of them between being found free and being used. */
export async function startRabbit(): Promise<RabbitServer> {
  return startOnce().catch(startOnce).catch(startOnce);
}

async function startOnce(): Promise<RabbitServer> {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-rabbitmq-"));
  const [port, distribution, names] = [await freePort(), await freePort(), await freePort()];
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "plugins"), "[].");
  const config = [
    `default_user = ${USER.username}`,
    `default_pass = ${USER.password}`,
    `default_vhost = ${USER.virtual_host}`,
    "disk_free_limit.absolute = 1MB",
    "log.console = false",
    "log.file = false",
  ];
  writeFileSync(join(folder, "rabbitmq.conf"), `${config.join("\n")}\n`);
  const env = {
    ...process.env,
    HOME: join(folder, "home"),
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: `monitor-test-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: join(folder, "data"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    // The program becomes the server instead of watching over it, so that its process can be ended.
    RABBITMQ_ALLOW_INPUT: "1",
    RABBITMQ_SERVER_START_ARGS: "-noinput",
  };
  // Erlang would start the server of its names by itself, and leave it running.
  const nameServer = spawn("epmd", ["-address", "127.0.0.1", "-port", String(names)], { env, stdio: "ignore" });
  const address = (prefix = "pynenc"): RabbitAddress => ({
    host: "127.0.0.1",
    port,
    ...USER,
    queue: `${prefix}_broker_messages`,
    refused: null,
  });
  const onChannel = <T>(work: (channel: Channel) => Promise<T>) => withChannel(address(), work);
  let child: ChildProcess | null = null;
  const start = async () => {
    child = spawn(PROGRAM, [], { env, stdio: "ignore" });
    for (let attempt = 0; ; attempt++) {
      try {
        await onChannel(async () => undefined);
        return;
      } catch (error) {
        // A busy machine takes a minute instead of six seconds.
        if (attempt === 1_500 || child.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  const stop = async () => {
    await ended(child);
    child = null;
  };
  const close = async () => {
    await stop();
    await ended(nameServer);
    rmSync(folder, { recursive: true, force: true });
  };
  await start().catch(async (error) => {
    await close();
    throw error;
  });
  return {
    address,
    env: (prefix = "pynenc") => ({
      PYNENC__BROKER_CLS: "RabbitMqBroker",
      PYNENC__RABBITMQ_HOST: "127.0.0.1",
      PYNENC__RABBITMQ_PORT: String(port),
      PYNENC__RABBITMQ_USERNAME: USER.username,
      PYNENC__RABBITMQ_PASSWORD: USER.password,
      PYNENC__RABBITMQ_VIRTUAL_HOST: USER.virtual_host,
      PYNENC__RABBITMQ_QUEUE_PREFIX: prefix,
    }),
    put: (queue, bodies, limit) =>
      onChannel(async (channel) => {
        const limited = limit === undefined ? {} : { maxLength: limit, overflow: "reject-publish" };
        await channel.assertQueue(queue, { durable: true, ...limited });
        for (const body of bodies) channel.sendToQueue(queue, Buffer.from(body), { persistent: true });
        // The server answers in order: once it knows the queue again, the messages are there.
        await channel.checkQueue(queue);
      }),
    take: (queue) =>
      onChannel(async (channel) => {
        const taken: RabbitMessage[] = [];
        for (;;) {
          const message = await channel.get(queue, { noAck: true });
          if (message === false) return taken;
          const { deliveryMode } = message.properties;
          taken.push({ body: message.content.toString(), persistent: deliveryMode === 2 });
        }
      }),
    count: (queue) =>
      onChannel(async (channel) => (await channel.checkQueue(queue)).messageCount).catch((error) => {
        if (error.code === 404) return null;
        throw error;
      }),
    remove: (queue) => onChannel(async (channel) => void (await channel.deleteQueue(queue))),
    start,
    stop,
    close,
  };
}

async function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

async function withChannel<T>(address: RabbitAddress, work: (channel: Channel) => Promise<T>): Promise<T> {
  const { host, port, username, password, virtual_host } = address;
  const vhost = encodeURIComponent(virtual_host);
  const connection = await connect({ hostname: host, port, username, password, vhost });
  // Also when the server is ended while a test is connected.
  connection.on("error", () => undefined);
  try {
    const channel = await connection.createChannel();
    channel.on("error", () => undefined);
    return await work(channel);
  } finally {
    await connection.close().catch(() => undefined);
  }
}
