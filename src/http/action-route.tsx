/** An action from one definition: GET shows the preview and asks, POST performs it. Both work for pages, fragments and scripts. */

import type { FunctionComponent } from "preact";
import { Notice } from "../../templates/fragments/ui/notice.tsx";
import type { View } from "../../templates/pages/view.ts";
import type { ActionOutcome } from "../api/actions.ts";
import { quote, RefusedError } from "../errors.ts";
import type { Links } from "../presentation/links.ts";
import type { NavKey } from "../presentation/nav-entries.ts";
import { visible } from "../presentation/text.ts";
import { isoFromEpoch } from "../pynenc/time.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { RawInput } from "../services/input/input.ts";
import type { Route, RouteRequest } from "./context.ts";
import { document, fragment, json, redirect } from "./respond.tsx";

export interface ActionDefinition<Preview extends object, Outcome extends ActionOutcome> {
  path: string;
  nav: NavKey;
  /** For the log: `purge broker`. */
  action: string;
  preview(app: OpenedApp, input: RawInput, request: RouteRequest): Promise<Preview>;
  perform(app: OpenedApp, input: RawInput, request: RouteRequest): Promise<Outcome>;
  title(preview: Preview): string;
  /** Asks for confirmation with a form that works without scripts. */
  content: FunctionComponent<View<Preview>>;
  /** The page to which browsers are redirected afterwards. */
  after(links: Links, outcome: Outcome): string;
}

export function actionRoutes<Preview extends object, Outcome extends ActionOutcome>(
  definition: ActionDefinition<Preview, Outcome>,
): Route[] {
  return [
    { method: "GET", path: definition.path, handle: (request) => ask(definition, request) },
    { method: "POST", path: definition.path, handle: (request) => perform(definition, request) },
  ];
}

/** Why an action has no past. */
const CHANGES = "Actions change what is stored now: this is a preview for the present.";

async function ask<Preview extends object, Outcome extends ActionOutcome>(
  definition: ActionDefinition<Preview, Outcome>,
  request: RouteRequest,
): Promise<Response> {
  const app = await request.app();
  const preview = await definition.preview(app, request.query, request);
  if (request.wanted === "json") return json(preview);
  const { content: Content } = definition;
  const content = (
    <Content
      model={preview}
      path={request.pathname}
      query={request.query}
      now={isoFromEpoch(app.now())}
      readOnly={request.server.readOnly}
    />
  );
  if (request.wanted === "fragment") return fragment(request, content);
  // Not live: a refresh would empty a field that is being typed into.
  return document(
    request,
    { title: definition.title(preview), nav: definition.nav, app, live: false, present: CHANGES },
    content,
  );
}

async function perform<Preview extends object, Outcome extends ActionOutcome>(
  definition: ActionDefinition<Preview, Outcome>,
  request: RouteRequest,
): Promise<Response> {
  const app = await request.app();
  const { app_id, app: named, ...fields } = await request.body();
  assertSameApp(app, [...(app_id ?? []), ...(named ?? [])]);
  const { outcome, entry } = await request.server.actions.record(request.peer, definition.action, app, () =>
    definition.perform(app, { ...request.query, ...fields }, request),
  );
  if (request.wanted === "json") return json(outcome);
  if (request.wanted === "fragment") {
    const response = await fragment(request, <Notice tone="info">{visible(outcome.message)}</Notice>);
    // Refreshes every live region of the page.
    response.headers.set("hx-trigger", "live");
    return response;
  }
  const { links } = request;
  return redirect(links.afterAction(definition.after(links, outcome), entry.id));
}

/** Another tab may have switched the app between the preview and the click (security.md 2). */
function assertSameApp(app: OpenedApp, named: readonly string[]): void {
  const other = named.find((id) => id !== app.app_id);
  if (other === undefined) return;
  throw new RefusedError(
    `Nothing was changed: the request names the app ${quote(other)}, but is addressed to ${quote(app.app_id)}.`,
    "Type the id of the app exactly as it is shown, or switch to the other app first.",
    409,
  );
}
