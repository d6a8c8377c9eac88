/** Checks whether a server responds at all, to tell a hung server from a busy one. */
import { connect } from "node:net";

/**
 * Uses a separate connection, so that large answers in transit do not delay it. Any response counts, even a request for a password or a complaint
 * about missing encryption.
 *
 * @param url of the server, `redis[s]://[user[:password]@]host[:port][/database]`.
 * @param milliseconds timeout.
 */
export function isResponding(url: string, milliseconds: number): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || 6379 });
    const timer = setTimeout(() => done(false), milliseconds);
    const done = (answered: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answered);
    };
    socket.on("connect", () => socket.write("PING\r\n"));
    socket.on("data", () => done(true));
    // Closed or refused is a response too: pending commands receive that error by themselves.
    socket.on("end", () => done(true));
    socket.on("error", () => done(true));
  });
}
