import { visibleLine } from "../../src/presentation/text.ts";
import { useLinks } from "../links.ts";
import type { PageContext } from "./page-context.ts";

/** Most apps in the menu; the page of apps has all of them. */
const LISTED = 20;

type AppMenuProps = { page: Pick<PageContext, "app" | "apps" | "path" | "location"> };

/** The app of the page and its store, and links to the same page of other apps. No link changes what other pages show. */
export function AppMenu({ page: { app, apps, path, location } }: AppMenuProps) {
  const links = useLinks();
  const hrefIn = (appId: string) => {
    const there = appId === app?.app_id ? links : links.inApp(appId);
    return there.keeping(there.current(path));
  };
  return (
    <details class="menu app-switcher">
      <summary title={visibleLine(location)}>
        <span class="visually-hidden">App</span>
        <bdi class="app-name cut">{app === null ? "No app" : visibleLine(app.app_id)}</bdi>
        {app?.phantom === true && <span class="mark">no invocations</span>}
      </summary>
      <div class="menu-panel">
        <p class="menu-heading">Apps in this store</p>
        {apps.length === 0 ? (
          <p class="menu-heading">No app has registered here yet.</p>
        ) : (
          <ul>
            {apps.slice(0, LISTED).map((choice) => (
              <li key={choice.app_id}>
                <a href={hrefIn(choice.app_id)} aria-current={choice.app_id === app?.app_id ? "true" : undefined}>
                  <bdi>{visibleLine(choice.app_id)}</bdi>
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
        {apps.length > 1 && <a href={links.apps()}>{`All ${apps.length} apps`}</a>}
        <p class="menu-heading">Store</p>
        <a href={links.store()}>
          <bdi class="mono">{visibleLine(location)}</bdi>
        </a>
      </div>
    </details>
  );
}
