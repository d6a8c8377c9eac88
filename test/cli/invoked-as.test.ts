import { expect, test } from "vitest";
import { invokedAs } from "../../src/cli/invoked-as.ts";

test.each([
  ["/usr/local/bin/monitor", {}, "monitor"],
  ["/srv/app/node_modules/.bin/pynenc-monitor", { npm_command: "exec" }, "npx pynenc-monitor"],
  ["C:\\app\\node_modules\\.bin\\monitor", { npm_command: "exec" }, "monitor"],
  ["/srv/monitor/bin/monitor.js", { npm_command: "run-script" }, "monitor"],
  ["/usr/local/bin/pynenc-monitor", {}, "monitor"],
])("the script %s with environment %j is shown in examples as %s", (script, env, typed) => {
  expect(invokedAs(script, env)).toBe(typed);
});
