/** Listening, addresses, and an end that lets requests finish. */
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:net";
import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { type Listener, listen } from "listhen";
import { DEFAULT_PORT } from "../config/options.ts";
import { InvalidInputError } from "../errors.ts";
import { guardConnections } from "./connections.ts";
import type { ServerContext } from "./context.ts";
import { healthFirst } from "./health.ts";

export interface RunningServer {
  /** `http://127.0.0.1:8000/` */
  url: string;
  /** Stops accepting and waits for the requests in flight, at most `GRACE_MS`. */
  close(): Promise<void>;
}

const GRACE_MS = 3_000;

/** Ports tried by `auto`, from the default on. */
const AUTO_PORTS = 100;

/**
 * @param port a port, or `auto` for the first free one from the default on.
 * @throws InvalidInputError when the port is taken.
 */
export async function startServer(
  context: ServerContext,
  app: H3,
  host: string,
  port: number | "auto",
): Promise<RunningServer> {
  const handler = healthFirst(context, toNodeHandler(app));
  const listener = await (port === "auto" ? listenFrom(handler, host, DEFAULT_PORT) : listenOn(handler, host, port));
  const { server } = listener;
  // Plain HTTP: listhen was asked for nothing else.
  guardConnections(server as Server);
  return {
    url: listener.url,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Connections that are kept alive without a request would hold up the end for nothing.
      if ("closeIdleConnections" in server) server.closeIdleConnections();
      const timer = setTimeout(() => {
        if ("closeAllConnections" in server) server.closeAllConnections();
      }, GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** @throws InvalidInputError when the port is taken. */
async function listenOn(handler: RequestListener, host: string, port: number): Promise<Listener> {
  if (port !== 0 && !(await isFree(host, port))) throw taken(host, port);
  const failure = listenFailure(port);
  try {
    const listening = listen(handler, {
      hostname: host,
      port: { port, random: port === 0, host },
      // Everything listhen does for development servers stays off; its production mode also keeps it from silently taking another port.
      isProd: true,
      isTest: false,
      showURL: false,
      autoClose: false,
      clipboard: false,
      open: false,
      qr: false,
      publicURL: "",
      tunnel: false,
      ws: false,
    });
    return await Promise.race([listening, failure.thrown]);
  } catch (error) {
    // Another program took it, or looked whether it is free, a moment ago.
    throw isAboutPort(error) ? taken(host, port) : error;
  } finally {
    failure.stop();
  }
}

/**
 * listhen looks for a free port and then listens, without a listener for errors: a port that is taken in between would end the process with a stack
 * trace, and what `listen` returned would never settle.
 *
 * @param port 0 where listhen chooses one.
 */
function listenFailure(port: number): { thrown: Promise<never>; stop(): void } {
  let reject: (error: Error) => void = () => undefined;
  const thrown = new Promise<never>((_, fail) => {
    reject = fail;
  });
  const onError = (error: Error & { syscall?: string; port?: number }) => {
    if (error.syscall === "listen" && (port === 0 || error.port === port)) reject(error);
    // With no other listener, anything else ends the process as it would have without this one.
    else if (process.listenerCount("uncaughtException") === 1) throw error;
  };
  process.on("uncaughtException", onError);
  return { thrown, stop: () => process.off("uncaughtException", onError) };
}

/** On the first free port, also where another program takes the one that was free a moment ago. */
async function listenFrom(handler: RequestListener, host: string, from: number): Promise<Listener> {
  for (let port = from; port < from + AUTO_PORTS; port++) {
    try {
      return await listenOn(handler, host, port);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
    }
  }
  throw taken(host, from);
}

/** listhen looks for a port by itself before it listens, with an error of its own. */
function isAboutPort(error: unknown): boolean {
  return error instanceof Error && (error.name === "GetPortError" || ("code" in error && error.code === "EADDRINUSE"));
}

function taken(host: string, port: number): InvalidInputError {
  return new InvalidInputError(
    [
      {
        parameter: "--port",
        value: String(port),
        accepted: `another program is already listening on ${host}:${port}`,
      },
    ],
    "Use --port auto for the next free port.",
  );
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
