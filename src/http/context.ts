import type { ConsolaInstance } from "consola";
import type { Links } from "../presentation/links.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { ActionLog } from "../services/actions/action-log.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { Workspace } from "../services/app/workspace.ts";
import type { RawInput } from "../services/input/input.ts";
import type { Access } from "./access.ts";
import type { Assets } from "./assets.ts";
import type { Bodies } from "./body.ts";
import type { BodyRules, GuardOptions } from "./guards.ts";
import type { Wanted } from "./negotiate.ts";
import type { RememberedAnswers } from "./remembered-answers.ts";
import type { Turns } from "./turns.ts";

/** What all requests share. */
export interface ServerContext extends GuardOptions {
  workspace: Workspace;
  assets: Assets;
  bodies: Bodies;
  turns: Turns;
  remembered: RememberedAnswers;
  log: ConsolaInstance;
  actions: ActionLog;
  /** In front of every path of a browser, because a proxy serves the monitor below it: `/mon`. Empty without one. */
  basePath: string;
  /** Null if no token protects the monitor. */
  access: Access | null;
  /** Version of pynenc-monitor. */
  version: string;
  /** Enables routes for developing the monitor itself. */
  dev: boolean;
}

/** A request, parsed as far as all routes need it. */
export interface RouteRequest {
  server: ServerContext;
  method: string;
  /** Path parameters, decoded once; ids may be in any form. */
  params: Readonly<Record<string, string>>;
  /** The query without `app`. */
  query: RawInput;
  /** The instant of the past that a browser asks for (as-of.ts); null for the present and for other clients. */
  at: EpochSeconds | null;
  /** Without the base path. */
  pathname: string;
  /** The raw query with its question mark; empty without a query. */
  search: string;
  headers: Headers;
  wanted: Wanted;
  /** They name the app of the answer if the address does or the store has several. */
  links: Links;
  nonce: string;
  /** App named by `?app=`. */
  pinned: string | null;
  /** Address of the client; `local` when the request came without a socket. */
  peer: string;
  /** Not signed in: answers, including errors, must reveal nothing about the store. */
  stranger: boolean;
  /** Id of the action that redirected here (`?done=`), whose outcome is shown. */
  done: string | null;
  /** Fields of the body: a form or a JSON object. @throws InvalidInputError, TooLargeError, UnreadBodyError */
  body(): Promise<RawInput>;
  /** Opens the app named by the address, or else the shown one. */
  app(): Promise<OpenedApp>;
}

export interface Route extends BodyRules {
  method: "GET" | "POST";
  /** h3 pattern: `/invocations/:id/history`. */
  path: string;
  /** Answers JSON or text whatever the client accepts; errors are JSON. */
  json?: true;
  /** Reveals nothing about the store, so it needs no token. */
  open?: true;
  /** For other programs; needs no token with `--public-metrics`. */
  probe?: true;
  /** Takes no turn: costs next to nothing, and must be answered also while all turns are taken. */
  light?: true;
  handle(request: RouteRequest): Promise<Response>;
}
