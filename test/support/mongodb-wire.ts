/**
 * A server that speaks MongoDB's wire protocol by a script: of any version, slow, silent, without its primary, or with answers that no client
 * expects. What the script leaves to it is answered by a server behind it, or as an empty database answers.
 */
import { connect, createServer, type Socket } from "node:net";
import { BSON, type Document, Long } from "mongodb";

/** What a script does with a command: an answer of its own, none at all, or the end of the connection. Undefined: as without a script. */
export type Scripted = Document | "silence" | "hang up" | undefined;

export interface WireScript {
  /** The wire version that it claims to have: 6 is MongoDB 3.6, 8 is 4.2, 9 is 4.4, 13 is 5.0, 17 is 6.0, 21 is 7.0, 25 is 8.0. */
  wire?: number;
  /** More members of its answer to `hello`. */
  hello?: Document;
  /** @param command as sent, its name is its first member. */
  answer?: (command: Document) => Scripted | Promise<Scripted>;
  /** Changes what the server behind it answers. */
  alter?: (command: Document, reply: Document) => Document;
}

export interface WireServer {
  /** `mongodb://127.0.0.1:port/` */
  url: string;
  /** Can be replaced at any time. */
  script: WireScript;
  /** The commands that clients have sent, without those by which a driver watches servers. */
  readonly commands: Document[];
  /** How many connections are open, those by which a driver watches servers included. */
  readonly connections: number;
  /** Ends all connections, as a server that ends does. */
  hangUp(): void;
  close(): Promise<void>;
}

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
/** The reply may have more to it after a while. */
const AWAIT_CAPABLE = 8;

const GREETINGS = ["hello", "ismaster", "isMaster"];
const OF_DRIVERS = [...GREETINGS, "ping", "endSessions", "saslStart", "saslContinue"];

/** As a server answers a command that fails. */
export function failure(code: number, codeName: string, errmsg: string): Document {
  return { ok: 0, code, codeName, errmsg };
}

/** @param behind the URL of a server that answers what the script does not. */
export async function startWire(script: WireScript = {}, behind: string | null = null): Promise<WireServer> {
  const sockets = new Set<Socket>();
  const commands: Document[] = [];
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => socket.destroy()));
    const upstream = behind === null ? null : new Upstream(behind, socket);
    socket.on("close", () => {
      sockets.delete(socket);
      upstream?.close();
    });
    let last: Promise<unknown> = Promise.resolve();
    eachMessage(socket, (message) => {
      last = last.then(() => respond(socket, message, upstream)).catch(() => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const wire: WireServer = {
    url: `mongodb://127.0.0.1:${port}/`,
    script,
    commands,
    get connections() {
      return sockets.size;
    },
    hangUp: () => sockets.forEach((socket) => void socket.destroy()),
    async close() {
      wire.hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function respond(socket: Socket, message: Buffer, upstream: Upstream | null): Promise<void> {
    const command = commandOf(message);
    const [name = ""] = Object.keys(command);
    if (!OF_DRIVERS.includes(name)) commands.push(command);
    const scripted = await wire.script.answer?.(command);
    if (scripted === "silence") return;
    if (scripted === "hang up") return void socket.destroy();
    const usual = scripted ?? (upstream === null ? emptyAnswer(command) : await upstream.ask(message));
    const altered = scripted === undefined ? (wire.script.alter?.(command, usual) ?? usual) : usual;
    const answer = GREETINGS.includes(name) ? { ...altered, ...greeting(wire.script) } : altered;
    if (!socket.destroyed) socket.write(replyTo(message, answer));
  }
  return wire;
}

function greeting({ wire, hello }: WireScript): Document {
  return { ...(wire !== undefined && { minWireVersion: 0, maxWireVersion: wire }), ...hello };
}

/** As a server with no data answers. */
function emptyAnswer(command: Document): Document {
  const [name = ""] = Object.keys(command);
  if (GREETINGS.includes(name))
    return {
      ok: 1,
      ismaster: true,
      isWritablePrimary: true,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      minWireVersion: 0,
      maxWireVersion: 21,
      readOnly: false,
    };
  if (["find", "aggregate", "listCollections", "listIndexes"].includes(name))
    return { ok: 1, cursor: { id: Long.ZERO, ns: `${command.$db}.${command[name]}`, firstBatch: [] } };
  if (name === "count") return { ok: 1, n: 0 };
  if (name === "distinct") return { ok: 1, values: [] };
  return { ok: 1 };
}

/** The connection behind one of a client: answers come in the order of the questions. */
class Upstream {
  readonly #socket: Socket;
  readonly #waiting: ((reply: Document) => void)[] = [];

  constructor(url: string, client: Socket) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("error", () => client.destroy()).on("close", () => client.destroy());
    eachMessage(this.#socket, (message) => this.#waiting.shift()?.(commandOf(message)));
  }

  ask(message: Buffer): Promise<Document> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.write(message);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

function eachMessage(socket: Socket, use: (message: Buffer) => void): void {
  let held = Buffer.alloc(0);
  socket.on("data", (part) => {
    held = Buffer.concat([held, part as Buffer]);
    while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
      const length = held.readInt32LE(0);
      use(held.subarray(0, length));
      held = held.subarray(length);
    }
  });
}

/** The command in a message, or the document of a reply. Documents that are sent beside it are put into it. */
function commandOf(message: Buffer): Document {
  const kind = message.readInt32LE(12);
  if (kind === OP_REPLY) return BSON.deserialize(message.subarray(HEADER + 20), KEEP_TYPES);
  if (kind === OP_QUERY) {
    const name = message.indexOf(0, HEADER + 4);
    return BSON.deserialize(message.subarray(name + 1 + 8), { ...KEEP_TYPES, allowObjectSmallerThanBufferSize: true });
  }
  let command: Document = {};
  for (let at = HEADER + 4; at < message.length; ) {
    const length = message.readInt32LE(at + 1);
    if (message[at] === 0) {
      command = { ...BSON.deserialize(message.subarray(at + 1, at + 1 + length), KEEP_TYPES), ...command };
    } else {
      const name = message.indexOf(0, at + 5);
      const documents: Document[] = [];
      for (let from = name + 1; from < at + 1 + length; from += message.readInt32LE(from))
        documents.push(BSON.deserialize(message.subarray(from, from + message.readInt32LE(from)), KEEP_TYPES));
      command = { ...command, [message.toString("utf8", at + 5, name)]: documents };
    }
    at += 1 + length;
  }
  return command;
}

/** So that numbers and bytes are passed on as they were. */
const KEEP_TYPES = { promoteValues: false, promoteLongs: false };

function replyTo(message: Buffer, answer: Document): Buffer {
  const body = BSON.serialize(answer);
  const query = message.readInt32LE(12) === OP_QUERY;
  const before = Buffer.alloc(HEADER + (query ? 20 : 5));
  before.writeInt32LE(before.length + body.length, 0);
  before.writeInt32LE(message.readInt32LE(4), 8);
  before.writeInt32LE(query ? OP_REPLY : OP_MSG, 12);
  if (query) {
    before.writeInt32LE(AWAIT_CAPABLE, HEADER);
    before.writeInt32LE(1, HEADER + 16);
  }
  return Buffer.concat([before, body]);
}
