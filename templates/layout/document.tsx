import type { ComponentChildren } from "preact";
import { instant, visibleLine } from "../../src/presentation/text.ts";
import { AsOf } from "../fragments/ui/as-of.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { LinksContext, TodayContext } from "../links.ts";
import { Header } from "./header.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { Navigation } from "./navigation.tsx";
import type { PageContext } from "./page-context.ts";

/** A complete page. `children` start with a `PageHeader`, which contains the only h1. */
export function Document({ page, children }: { page: PageContext; children: ComponentChildren }) {
  const { links, nonce } = page;
  const title = [page.title, ...(page.app === null ? [] : [page.app.app_id]), "pynenc monitor"].map(visibleLine);
  return (
    <LinksContext.Provider value={links}>
      <TodayContext.Provider value={page.now.slice(0, 10)}>
        <html
          lang="en"
          data-app={links.app ?? undefined}
          data-now={page.now}
          data-clock-fixed={page.clock_fixed ? "" : undefined}
        >
          <head>
            <meta charset="utf-8" />
            <title>{title.join(" · ")}</title>
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <link
              rel="icon"
              href={links.asset("icon.svg")}
              type="image/svg+xml"
              data-plain={links.asset("icon.svg")}
              data-alert={links.asset("icon-alert.svg")}
            />
            {/* Blocking on purpose: the theme must be set before the first paint. */}
            <script nonce={nonce} src={links.asset("client/theme-early.js")} />
            <link rel="stylesheet" nonce={nonce} href={links.asset("app.css")} />
            <script nonce={nonce} src={links.asset("idiomorph.js")} defer />
            {/* The first paint has all of the page, with its times as they are shown: nothing moves afterwards. */}
            <script nonce={nonce} src={links.asset("client/main.js")} type="module" {...{ blocking: "render" }} />
          </head>
          <body>
            <a class="skip-link" href="#main">
              Skip to content
            </a>
            <Header page={page} />
            <Navigation current={page.nav} figures={page.figures} problems={page.problems} past={page.past !== null} />
            <main id="main" class="main" tabindex={-1}>
              <div id="banner" class="notice notice-error banner" role="alert" hidden />
              {page.past !== null && <AsOf past={page.past} />}
              {page.live && <button class="button primary new-rows" type="button" id="new-rows" hidden />}
              {page.notice !== null && <Notice tone="info">{visibleLine(page.notice)}</Notice>}
              <Notes notes={page.gaps} tone="warn" />
              {children}
            </main>
            <footer class="footer row small">
              {page.past === null && <span>As of {instant(page.now).slice(0, 19)} UTC</span>}
              <span>pynenc-monitor {page.version}</span>
              {page.sign_in && <a href={links.signIn()}>Sign another browser in</a>}
            </footer>
            <div id="announcer" class="visually-hidden" role="status" />
            <KeysDialog nav={page.nav} />
          </body>
        </html>
      </TodayContext.Provider>
    </LinksContext.Provider>
  );
}
