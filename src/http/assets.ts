/**
 * The files that pages need, read once at start: a request picks from this list by name, so there is no path to traverse
 * (security.md 6).
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { statusStylesheet } from "../../templates/assets/status-css.ts";
import { packageRoot } from "../package-root.ts";

export interface Asset {
  body: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export type Assets = ReadonlyMap<string, Asset>;

export function loadAssets(): Assets {
  const built = join(packageRoot(), "dist", "templates");
  const assets = new Map<string, Asset>();
  const add = (name: string, body: Uint8Array) => assets.set(name, asset(name, body));
  for (const folder of ["assets", "client"]) {
    for (const file of readdirSync(join(built, folder))) {
      if (!(extname(file) in TYPES)) continue;
      add(folder === "assets" ? file : `client/${file}`, readFileSync(join(built, folder, file)));
    }
  }
  // Status colours are generated, because drawings use them too.
  const styles = readFileSync(join(built, "assets", "app.css"), "utf8");
  add("app.css", Buffer.from(`${styles}\n@layer statuses {\n${statusStylesheet()}}\n`));
  return assets;
}

function asset(name: string, body: Uint8Array): Asset {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`;
  return { body: new Uint8Array(body), type: TYPES[extname(name)] ?? "application/octet-stream", etag };
}
