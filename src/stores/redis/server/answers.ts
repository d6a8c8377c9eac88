/** Whether a server answers anybody at all: what tells one that stands still from one that has much to do. */
import { connect } from "node:net";

/**
 * Asks with a connection of its own, so that large answers on their way do not hold it up. Any answer counts: that a password is wanted, or
 * that somebody spoke plainly where encryption is expected.
 *
 * @param url of the server, `redis[s]://[user[:password]@]host[:port][/database]`.
 * @param milliseconds that it has for it.
 */
export function answersAnybody(url: string, milliseconds: number): Promise<boolean> {
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
    // Closed or refused: what waits for the server hears of it by itself.
    socket.on("end", () => done(true));
    socket.on("error", () => done(true));
  });
}
