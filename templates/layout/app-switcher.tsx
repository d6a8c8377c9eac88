import { visibleLine } from "../../src/presentation/text.ts";
import { useLinks } from "../links.ts";
import type { PageContext } from "./page-context.ts";

/** The app of the page, and links to the same page of another one. No link changes what other pages show. */
export function AppSwitcher({ app, apps, path }: Pick<PageContext, "app" | "apps" | "path">) {
  const links = useLinks();
  const hrefIn = (appId: string) => {
    const there = appId === app?.app_id ? links : links.inApp(appId);
    return there.keeping(there.current(path));
  };
  return (
    <details class="menu app-switcher">
      <summary>
        <span class="menu-label">App</span>
        <bdi class="app-name">{app === null ? "none" : visibleLine(app.app_id)}</bdi>
        {app?.phantom === true && <span class="mark">no invocations</span>}
      </summary>
      <div class="menu-panel">
        <p class="menu-heading">Apps in this store</p>
        {apps.length === 0 ? (
          <p class="muted">No app has registered here yet.</p>
        ) : (
          <ul>
            {apps.map((choice) => (
              <li key={choice.app_id}>
                <a href={hrefIn(choice.app_id)} aria-current={choice.app_id === app?.app_id ? "true" : undefined}>
                  <bdi>{visibleLine(choice.app_id)}</bdi>
                  {choice.app_id === app?.app_id && <span class="mark mark-good">shown</span>}
                  {choice.phantom && (
                    <span class="mark" title="Usually a process that only connected to look">
                      no invocations
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
