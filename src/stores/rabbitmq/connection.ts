/**
 * One connection to one RabbitMQ server, opened on first use and reopened on the next use after it was lost. So requests recover as soon as the
 * server is back, and a server that stays down costs nothing between requests.
 */
import type { ChannelModel, ConfirmChannel, SocketOptions } from "amqplib";
import { StoreUnreachableError } from "../../errors.ts";
import { rabbitError } from "./failures.ts";

/** A queue on a server (storage-format.md 10). */
export interface RabbitAddress {
  host: string;
  port: number;
  username: string;
  /** Never shown. */
  password: string;
  virtual_host: string;
  queue: string;
  /** Why connecting to this server is refused, as a sentence; null if it is not. */
  refused: string | null;
}

/** Connect timeout in seconds. */
const CONNECT_SECONDS = 3;

/** Response timeout in seconds for everything within one use. */
const USE_SECONDS = 10;

interface Opened {
  model: ChannelModel;
  /** Closes the connection at once, without waiting for the server. */
  abort: AbortController;
}

export class RabbitConnection {
  /** For display: the address without user and password. */
  readonly location: string;
  readonly #address: RabbitAddress;
  #opened: Promise<Opened> | null = null;

  constructor(address: RabbitAddress) {
    this.#address = address;
    const host = address.host.includes(":") ? `[${address.host}]` : address.host;
    this.location = `amqp://${host}:${address.port}/${encodeURIComponent(address.virtual_host)}`;
  }

  /**
   * Runs `work` on a new channel, because the server closes a channel after the first rejected command.
   *
   * @throws StoreUnreachableError; errors of `work`.
   */
  async use<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const { refused } = this.#address;
    if (refused !== null) throw new StoreUnreachableError("no-permission", refused);
    try {
      const { model, abort } = await this.#connected();
      return await this.#inTime(onChannel(model, work), USE_SECONDS, abort);
    } catch (error) {
      throw rabbitError(error, this.location);
    }
  }

  async close(): Promise<void> {
    const opening = this.#opened;
    this.#opened = null;
    const opened = await opening?.catch(() => null);
    if (!opened) return;
    await this.#inTime(opened.model.close(), CONNECT_SECONDS, opened.abort).catch(() => undefined);
  }

  #connected(): Promise<Opened> {
    if (this.#opened === null) {
      const opening: Promise<Opened> = this.#open(() => {
        if (this.#opened === opening) this.#opened = null;
      });
      this.#opened = opening;
    }
    return this.#opened;
  }

  /** @param forget called when the connection becomes unusable. */
  async #open(forget: () => void): Promise<Opened> {
    const { host, port, username, password, virtual_host } = this.#address;
    const abort = new AbortController();
    try {
      // Loaded on first use: few apps use RabbitMQ.
      const { connect } = await import("amqplib");
      // The client passes unknown options to node:net.
      const options: SocketOptions & { signal: AbortSignal } = {
        signal: abort.signal,
        clientProperties: { connection_name: "pynenc-monitor" },
      };
      // The client unescapes the virtual host even if it is not part of a URL.
      const vhost = encodeURIComponent(virtual_host);
      const connecting = connect({ hostname: host, port, username, password, vhost }, options);
      const model = await this.#inTime(connecting, CONNECT_SECONDS, abort);
      // The callers waiting for an answer receive the error.
      model.on("error", forget);
      model.on("close", forget);
      return { model, abort };
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #inTime<T>(work: Promise<T>, seconds: number, abort: AbortController): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const words = `${this.location} did not answer within ${seconds} s.`;
        reject(new StoreUnreachableError("timeout", words, "Try again in a moment."));
        // Its replies are not read any more. Close the connection; the next use opens another.
        abort.abort();
      }, seconds * 1000);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function onChannel<T>(model: ChannelModel, work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
  const channel = await model.createConfirmChannel();
  // A rejected command closes the channel; its sender receives the error.
  channel.on("error", () => undefined);
  try {
    return await work(channel);
  } finally {
    channel.close().catch(() => undefined);
  }
}
