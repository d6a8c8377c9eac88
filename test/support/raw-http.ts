/** Bytes on a socket, as no client library sends them. */
import { connect, type Socket } from "node:net";

export interface RawConnection {
  socket: Socket;
  send(text: string): void;
  /** Everything that came. */
  received(): string;
  /** Everything that came until the server closed the connection. */
  closed: Promise<string>;
}

export function openRaw(origin: string): RawConnection {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  // A reset closes it too; what came before counts.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  return { socket, send: (given) => void socket.write(given), received: () => text, closed };
}

/** Sends a text and waits for the server to close. */
export function exchange(origin: string, text: string): Promise<string> {
  const connection = openRaw(origin);
  connection.send(text);
  return connection.closed;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An answer that is not chunked. */
export function parsed(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(headers), body: text.slice(end + 4) };
}
