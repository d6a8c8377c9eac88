import { useLinks } from "../links.ts";

/** Keeps `?app=` across a GET form, whose fields replace the query of its action. */
export function PinnedApp() {
  const { pinnedApp } = useLinks();
  return pinnedApp === null ? null : <input type="hidden" name="app" value={pinnedApp} />;
}
