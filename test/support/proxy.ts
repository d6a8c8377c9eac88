/** A proxy that serves another server below a path, as nginx and Caddy do. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface PrefixProxy {
  /** `http://127.0.0.1:41234` */
  origin: string;
  /** Addresses that were requested outside of the path. */
  outside: string[];
  close(): Promise<void>;
}

/** @param strips whether the server gets addresses without the path. */
export async function startProxy(target: string, basePath: string, strips: boolean): Promise<PrefixProxy> {
  const outside: string[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((given, answer) => {
    const { url = "", method, headers } = given;
    if (!url.startsWith(`${basePath}/`)) {
      outside.push(url);
      answer.writeHead(404).end("Nothing here");
      return;
    }
    const path = strips ? url.slice(basePath.length) : url;
    const passed = request({ hostname, port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    given.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outside,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
