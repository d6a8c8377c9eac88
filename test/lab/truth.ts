/**
 * The record of what really happened in a scenario. Task bodies report to it over a socket and are stamped on receipt, because their own clocks may be
 * wrong; the lab's own steps go to the same record. What the program says is held against this, never against the program or its store.
 */
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Fact {
  /** `begins`, `returns`, `raises`, `waits` of a task; other words for the lab's own steps. */
  what: string;
  /** Epoch seconds of the lab's clock. */
  at: number;
  /** Epoch seconds of the clock of the process that reported; null for the lab's own steps. */
  clock: number | null;
  /** Id of the invocation; null for the lab's own steps. */
  invocation: string | null;
  pid: number | null;
  task?: string;
  gate?: string;
  /** Epoch seconds before the client was asked for this call or event. */
  asked?: number;
  error?: string;
  message?: string;
  [more: string]: unknown;
}

/** Milliseconds until something that should happen counts as missing. Only ever reached if it does not happen. */
const PATIENCE = 150_000;
const POLL = 25;

export class Truth {
  readonly facts: Fact[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #open = new Set<string>();
  readonly #waiting: { gate: string; socket: Socket }[] = [];

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<Truth> {
    const truth = new Truth();
    await new Promise<void>((resolve) => truth.#server.listen(0, "127.0.0.1", resolve));
    return truth;
  }

  /** `host:port`, for the environment of tasks. */
  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the record is closed");
    return `127.0.0.1:${address.port}`;
  }

  /** A step of the lab itself. */
  note(what: string, more: Record<string, unknown> = {}): Fact {
    const fact: Fact = { clock: null, invocation: null, pid: null, ...more, what, at: Date.now() / 1000 };
    this.facts.push(fact);
    return fact;
  }

  /** Lets every task go on that waits at this gate, now and later. */
  open(gate: string): void {
    this.#open.add(gate);
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.gate === gate) goOn(waiting.socket);
      else this.#waiting.push(waiting);
    }
    this.note("opens", { gate });
  }

  /** Facts with these members. */
  all(like: Partial<Fact>): Fact[] {
    return this.facts.filter((fact) => Object.entries(like).every(([name, value]) => fact[name] === value));
  }

  /** Waits until this many facts have these members; returns the last of them. @throws after `PATIENCE`, with the story so far. */
  async until(like: Partial<Fact>, count = 1): Promise<Fact> {
    const end = performance.now() + PATIENCE;
    for (;;) {
      const found = this.all(like);
      const last = found.at(count - 1);
      if (last !== undefined) return last;
      if (performance.now() > end) throw new Error(`It did not happen: ${JSON.stringify(like)} (${count} times).`);
      await sleep(POLL);
    }
  }

  /** Epoch seconds between which a call or an event was made: before the client was asked for it, and after it had answered. */
  made(id: string): { from: number; to: number } {
    const [fact] = this.all({ id });
    if (fact?.asked === undefined) throw new Error(`${id} was not made by the lab.`);
    return { from: fact.asked, to: fact.at };
  }

  /** Epoch seconds by which the lab had seen the last status that it waited for. */
  seen(id: string): number {
    const fact = this.all({ what: "sees", id }).at(-1);
    if (fact === undefined) throw new Error(`The lab waited for no status of ${id}.`);
    return fact.at;
  }

  /** The story so far, one line per fact. */
  story(): string[] {
    const start = this.facts[0]?.at ?? 0;
    return this.facts.map(({ at, what, invocation, clock: _, pid, ...more }) => {
      const who = invocation === null ? "lab" : `${invocation.slice(0, 8)} (pid ${pid})`;
      return `${(at - start).toFixed(3).padStart(9)} s  ${who}  ${what} ${JSON.stringify(more)}`;
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // Of a task that was killed.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (!text.includes("\n")) return;
      const fact = { ...(JSON.parse(text) as Omit<Fact, "at">), at: Date.now() / 1000 } as Fact;
      this.facts.push(fact);
      if (fact.gate === undefined || this.#open.has(fact.gate)) goOn(socket);
      else this.#waiting.push({ gate: fact.gate, socket });
    });
  }
}

function goOn(socket: Socket): void {
  socket.end("{}\n");
}
