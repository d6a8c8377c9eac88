/** The settings of the app that a store holds, without the demand that they make sense: to find out why they do not. */
import type { ConfigReport } from "../../api/config.ts";
import type { ResolvedConfiguration } from "../../config/options.ts";
import { type Environment, effectiveSettings } from "../../config/pynenc-sources.ts";
import { settingsReport } from "../../config/settings-report.ts";
import { StoreUnreachableError } from "../../errors.ts";
import type { DiscoveredApp } from "../../stores/ports.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { Workspace } from "../app/workspace.ts";

export interface ConfigInput {
  configuration: ResolvedConfiguration;
  env: Environment;
  cwd: string;
}

/**
 * @param open opens the store; when it is unreachable the report says so and goes on without it.
 * @throws InvalidInputError when the store holds several apps and none was chosen; NotFoundError for an app that is not there.
 */
export async function configReport(input: ConfigInput, open: () => Promise<Workspace>): Promise<ConfigReport> {
  const { configuration } = input;
  let workspace: Workspace | null = null;
  try {
    workspace = await open();
    const { app_id, settings } = await uncheckedApp(input, workspace);
    const report = settingsReport({ options: configuration.options, settings });
    return { app_id, location: workspace.store.location, notes: [], ...report };
  } catch (error) {
    if (!(error instanceof StoreUnreachableError)) throw error;
    const notes = [`No store could be opened, so what the app registered itself is missing. ${error.message}`];
    return { app_id: null, location: null, notes, ...settingsReport(configuration) };
  } finally {
    await workspace?.close();
  }
}

/** The app that a command is about, chosen as `Workspace.openOnly` does, with its settings as they are. */
export async function uncheckedApp({ configuration, env, cwd }: ConfigInput, workspace: Workspace): Promise<OpenedApp> {
  const registered = await workspace.store.apps();
  const found =
    registered.find((app) => app.app_id === configuration.options.app.value) ?? onlyApp(registered, configuration);
  // Nothing registered and named by hand, several, or none: the workspace has the rules and the words for it.
  if (found === null) return workspace.openOnly();
  const { configFile } = configuration;
  const { store } = configuration.settings;
  const settings = effectiveSettings({ cwd, env, configFile, appInfo: found.info, store });
  return workspace.withSettings(found.app_id, settings);
}

function onlyApp(registered: readonly DiscoveredApp[], { options }: ResolvedConfiguration): DiscoveredApp | null {
  const named = options.app.origin === "--app" || options.app.origin === "PYNENC_MONITOR_APP";
  const real = registered.filter((app) => !app.phantom);
  if (named || real.length > 1) return null;
  return real[0] ?? registered[0] ?? null;
}
