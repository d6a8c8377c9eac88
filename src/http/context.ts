import type { ConsolaInstance } from "consola";
import type { Links } from "../presentation/links.ts";
import type { ActionLog } from "../services/actions/action-log.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { Workspace } from "../services/app/workspace.ts";
import type { RawInput } from "../services/input/input.ts";
import type { Access } from "./access.ts";
import type { Assets } from "./assets.ts";
import type { Bodies } from "./body.ts";
import type { BodyRules, GuardOptions } from "./guards.ts";
import type { Wanted } from "./negotiate.ts";

/** What the server as a whole knows. */
export interface ServerContext extends GuardOptions {
  workspace: Workspace;
  assets: Assets;
  bodies: Bodies;
  log: ConsolaInstance;
  actions: ActionLog;
  /** Null where no token protects the monitor. */
  access: Access | null;
  /** Of pynenc-monitor. */
  version: string;
  /** Routes for people who work on the monitor itself. */
  dev: boolean;
}

/** One request, parsed as far as every route needs it. */
export interface RouteRequest {
  server: ServerContext;
  method: string;
  /** Decoded once; ids of any spelling. */
  params: Readonly<Record<string, string>>;
  /** The query without `app`. */
  query: RawInput;
  pathname: string;
  /** The query as it came, with its question mark; empty without one. */
  search: string;
  headers: Headers;
  wanted: Wanted;
  links: Links;
  nonce: string;
  /** App named by `?app=`. */
  pinned: string | null;
  /** Address of the client; `local` when the request came without a socket. */
  peer: string;
  /** Not signed in: gets nothing that tells of the store, errors included. */
  stranger: boolean;
  /** The action that led here (`?done=`), to tell its outcome. */
  done: string | null;
  /** Fields of the body: a form or a JSON object. @throws InvalidInputError, TooLargeError, UnreadBodyError */
  body(): Promise<RawInput>;
  /** Opens the pinned or the active app. */
  app(): Promise<OpenedApp>;
}

export interface Route extends BodyRules {
  method: "GET" | "POST";
  /** h3 pattern: `/invocations/:id/history`. */
  path: string;
  /** Answers JSON or text whatever the client accepts; its errors are JSON. */
  json?: true;
  /** It tells nothing of the store, and is answered without a token. */
  open?: true;
  /** It is for other programs, and answered without a token where `--public-metrics` says so. */
  probe?: true;
  handle(request: RouteRequest): Promise<Response>;
}
