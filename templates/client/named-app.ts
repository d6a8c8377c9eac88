/**
 * Names the app of the page in the address bar, if the store has several and the address was asked for without one: what is shared, reloaded or gone
 * back to stays about the same app. Must be imported first, because other parts read the address when they are loaded.
 */
const { app } = document.documentElement.dataset;
const address = new URL(location.href);
if (app !== undefined && !address.searchParams.has("app")) {
  address.searchParams.set("app", app);
  history.replaceState(history.state, "", address);
}
