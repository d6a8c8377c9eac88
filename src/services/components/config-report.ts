/** The settings of an app without validation, to find out what is wrong with them. */
import type { ConfigReport } from "../../api/config.ts";
import type { ResolvedConfiguration } from "../../config/options.ts";
import { settingsReport } from "../../config/settings-report.ts";
import { StoreUnreachableError } from "../../errors.ts";
import type { DiscoveredApp } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { Workspace } from "../app/workspace.ts";
import { seenInStore } from "../model/setting-rows.ts";

/**
 * @param open opens the store. If that fails, the report says so and continues without it.
 * @throws NotFoundError for an unknown app.
 */
export async function configReport(
  configuration: ResolvedConfiguration,
  open: () => Promise<Workspace>,
): Promise<ConfigReport> {
  let workspace: Workspace | null = null;
  try {
    workspace = await open();
    const { location } = workspace.store;
    const [app, ...others] = await uncheckedApps(configuration, workspace);
    if (app === undefined || others.length > 0) {
      const ids = [app, ...others].flatMap((one) => one?.app_id ?? []);
      const notes = [
        `This store holds ${ids.length} apps, so what each registered itself is missing. Add it with --app: ${ids.join(", ")}.`,
      ];
      return { app_id: null, location, notes, ...settingsReport(configuration) };
    }
    const { groups, ...report } = settingsReport({ options: configuration.options, settings: app.settings });
    const { components } = await app.store.read((reads) => reads.layout.capabilities());
    const seen = groups.map((group) => ({
      ...group,
      rows: group.rows.map((row) => seenInStore(row, app.settings, components)),
    }));
    return { app_id: app.app_id, location, notes: [], groups: seen, ...report };
  } catch (error) {
    if (!(error instanceof StoreUnreachableError)) throw error;
    const notes = [`No store could be opened, so what the app registered itself is missing. ${error.message}`];
    return { app_id: null, location: null, notes, ...settingsReport(configuration) };
  } finally {
    await workspace?.close();
  }
}

/** The apps a report covers: the chosen one, otherwise all apps in the store, each with its unvalidated settings. */
export async function uncheckedApps(configuration: ResolvedConfiguration, workspace: Workspace): Promise<OpenedApp[]> {
  const registered = await workspace.store.apps();
  const real = registered.filter((app) => !app.phantom);
  const { app } = configuration.options;
  if (real.length < 2 || isNamed(app) || registered.some((one) => one.app_id === app.value)) {
    return [await uncheckedApp(configuration, workspace)];
  }
  return real.map((one) => workspace.unchecked(one.app_id, one.info));
}

/** The app of a command, chosen like `Workspace.openOnly`, with its unvalidated settings. */
async function uncheckedApp(configuration: ResolvedConfiguration, workspace: Workspace): Promise<OpenedApp> {
  const registered = await workspace.store.apps();
  const found =
    registered.find((app) => app.app_id === configuration.options.app.value) ?? onlyApp(registered, configuration);
  // Unregistered name, several apps or none: the workspace has the rules and messages for these cases.
  if (found === null) return workspace.openOnly();
  return workspace.unchecked(found.app_id, found.info);
}

function isNamed({ origin }: ResolvedConfiguration["options"]["app"]): boolean {
  return origin === "--app" || origin === "PYNENC_MONITOR_APP";
}

function onlyApp(registered: readonly DiscoveredApp[], { options }: ResolvedConfiguration): DiscoveredApp | null {
  const real = registered.filter((app) => !app.phantom);
  if (isNamed(options.app) || real.length > 1) return null;
  return real[0] ?? registered[0] ?? null;
}
