/** Checks whether a server responds at all, to tell a hung server from a busy one. */
import { connect } from "node:net";

/** A server and what to send to it. */
export interface Greeting {
  /** Without the brackets of an IPv6 address. */
  host: string;
  port: number;
  /** A request that the server answers before anyone has logged in. */
  request: string | Uint8Array;
}

/**
 * Uses a separate connection, so that large answers in transit do not delay it. Any response counts, even a request for a password or a complaint
 * about missing encryption.
 *
 * @param milliseconds timeout.
 */
export function isResponding({ host, port, request }: Greeting, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => done(false), milliseconds);
    const done = (answered: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answered);
    };
    socket.on("connect", () => socket.write(request));
    socket.on("data", () => done(true));
    // Closed or refused is a response too: pending commands receive that error by themselves.
    socket.on("end", () => done(true));
    socket.on("error", () => done(true));
  });
}
