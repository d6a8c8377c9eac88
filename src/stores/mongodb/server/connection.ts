/**
 * The connections to one server or replica set, opened by the first command and opened anew by the first command after they failed. So pages recover
 * as soon as the server is back.
 */
import type { Db, HostAddress, MongoClient } from "mongodb";
import { AnswerWatch, HANG_CHECK_TIMEOUT_MS } from "../../server/answer-watch.ts";
import { isResponding } from "../../server/responding.ts";
import type { ServerConnection, ServerEndpoint, Traffic } from "../../server/servers.ts";
import type { ServerUse } from "../../server/use.ts";
import { loadDriver, loadedDriver, SELECTION_MS } from "./client.ts";
import { mongoError } from "./failures.ts";

/** `mongodb[+srv]://[user[:password]@]host[:port][,…][/authSource][?options]`. */
export interface MongoEndpoint extends ServerEndpoint {
  /** `mongo_db`: never what the path of the URL names. */
  database: string;
}

/** Commands at once: pages send theirs together, and a server should not need many connections for a monitor. */
const MAX_CONNECTIONS = 4;

const DEFAULT_PORT = 27_017;

export class MongoConnection implements ServerConnection<MongoEndpoint> {
  readonly endpoint: MongoEndpoint;
  readonly use: ServerUse | null;
  readonly traffic: Traffic = { round_trips: 0, commands: 0 };
  #client: Promise<MongoClient> | null = null;
  /** The members that the URL names. */
  #hosts: readonly HostAddress[] = [];
  readonly #watch: AnswerWatch;

  constructor(endpoint: MongoEndpoint, use: ServerUse | null = null) {
    this.endpoint = endpoint;
    this.use = use;
    this.#watch = new AnswerWatch(endpoint.location, () => this.#isResponding());
  }

  /**
   * Sends one command, or the commands of one cursor.
   *
   * @throws StoreUnreachableError
   */
  async run<T>(send: (db: Db) => Promise<T>): Promise<T> {
    const connected = this.#connected();
    const client = await connected;
    try {
      const answer = send(client.db(this.endpoint.database));
      return await this.#watch.inTime(answer, this.endpoint.timeout, () => this.#drop(connected));
    } catch (error) {
      throw mongoError(error, this.endpoint.location);
    }
  }

  /** Counts what an answer took. @param reserved number of commands the sender has reserved (`ServerUse.reserve`). */
  count(commands: number, bytes: number, reserved: number): void {
    this.traffic.round_trips += commands;
    this.traffic.commands += commands;
    this.use?.count({ commands, bytes, reserved });
  }

  async close(): Promise<void> {
    const opening = this.#client;
    this.#client = null;
    this.#watch.close();
    await opening?.then((client) => client.close(true)).catch(() => undefined);
  }

  #connected(): Promise<MongoClient> {
    if (this.#client === null) {
      const { refusal } = this.#watch;
      if (refusal !== null) return Promise.reject(refusal);
      const opening: Promise<MongoClient> = this.#open().catch((error: unknown) => {
        if (this.#client === opening) this.#client = null;
        throw error;
      });
      this.#client = opening;
    }
    return this.#client;
  }

  async #open(): Promise<MongoClient> {
    const { url, connectTimeout, timeout, location } = this.endpoint;
    let client: MongoClient | null = null;
    const end = () => void client?.close(true).catch(() => undefined);
    try {
      const driver = await loadDriver();
      client = new driver.MongoClient(url, {
        appName: "pynenc-monitor",
        maxPoolSize: MAX_CONNECTIONS,
        minPoolSize: 0,
        connectTimeoutMS: connectTimeout * 1000,
        serverSelectionTimeoutMS: SELECTION_MS,
        waitQueueTimeoutMS: timeout * 1000,
        // A client that closes leaves connections whose answers are due, and the process with them.
        socketTimeoutMS: (timeout + 1) * 1000,
      });
      this.#hosts = client.options.hosts;
      return await this.#watch.inTime(client.connect(), connectTimeout + SELECTION_MS / 1000, end);
    } catch (error) {
      end();
      throw mongoError(error, location);
    }
  }

  /** Several commands may give up the same client one after the other: by then, another one may be in its place. */
  #drop(connected: Promise<MongoClient>): void {
    if (this.#client !== connected) return;
    this.#client = null;
    void connected.then((client) => client.close(true)).catch(() => undefined);
  }

  /** Of several members of a replica set the driver itself knows which of them answer. */
  #isResponding(): Promise<boolean> {
    const [host, another] = this.#hosts;
    if (host === undefined || another !== undefined || host.host === undefined) return Promise.resolve(true);
    const greeting = { host: host.host, port: host.port ?? DEFAULT_PORT, request: helloMessage() };
    return isResponding(greeting, HANG_CHECK_TIMEOUT_MS);
  }
}

/** A message with the command hello, as any version answers it before anyone has logged in. */
function helloMessage(): Uint8Array {
  const body = loadedDriver().BSON.serialize({ hello: 1, $db: "admin" });
  const message = Buffer.alloc(16 + 4 + 1 + body.length);
  const OP_MSG = 2013;
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(OP_MSG, 12);
  message.set(body, 21);
  return message;
}
