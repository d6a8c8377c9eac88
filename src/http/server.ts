/** Listening, addresses, and a shutdown that lets requests finish. */
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
  /** `http://127.0.0.1:8000/`, with the base path. */
  url: string;
  /** Stops accepting connections and waits at most `GRACE_MS` for requests in flight. */
  close(): Promise<void>;
}

const GRACE_MS = 3_000;

/** How many ports `auto` tries, starting at the default. */
const AUTO_PORTS = 100;

/**
 * @param port a port, or `auto` for the first free one starting at the default.
 * @throws InvalidInputError if the port is taken.
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
  // listhen serves plain HTTP only.
  guardConnections(server as Server);
  return {
    url: new URL(`${context.basePath}/`, listener.url).href,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Idle keep-alive connections would only delay the shutdown.
      if ("closeIdleConnections" in server) server.closeIdleConnections();
      const timer = setTimeout(() => {
        if ("closeAllConnections" in server) server.closeAllConnections();
      }, GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** @throws InvalidInputError if the port is taken. */
async function listenOn(handler: RequestListener, host: string, port: number): Promise<Listener> {
  if (port !== 0 && !(await isFree(host, port))) throw taken(host, port);
  const failure = listenFailure(port);
  try {
    const listening = listen(handler, {
      hostname: host,
      port: { port, random: port === 0, host },
      // Switches off what listhen does for development servers; production mode also keeps it from silently taking another port.
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
    // Another program took the port, or briefly tested whether it is free.
    throw isAboutPort(error) ? taken(host, port) : error;
  } finally {
    failure.stop();
  }
}

/**
 * listhen finds a free port and then listens, without an error listener: if the port is taken in between, the process would end with a stack
 * trace, and the promise of `listen` would never settle.
 *
 * @param port 0 if listhen chooses one.
 */
function listenFailure(port: number): { thrown: Promise<never>; stop(): void } {
  let reject: (error: Error) => void = () => undefined;
  const thrown = new Promise<never>((_, fail) => {
    reject = fail;
  });
  const onError = (error: Error & { syscall?: string; port?: number }) => {
    if (error.syscall === "listen" && (port === 0 || error.port === port)) reject(error);
    // If there is no other listener, other errors end the process as they would without this one.
    else if (process.listenerCount("uncaughtException") === 1) throw error;
  };
  process.on("uncaughtException", onError);
  return { thrown, stop: () => process.off("uncaughtException", onError) };
}

/** Listens on the first free port, retrying if another program takes the one just found. */
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

/** The error of listhen's own port search. */
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
