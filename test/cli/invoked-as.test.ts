import { expect, test } from "vitest";
import { invokedAs } from "../../src/cli/invoked-as.ts";

test.each([
  ["/usr/local/bin/monitor", {}, "monitor"],
  ["/srv/app/node_modules/.bin/pynenc-monitor", { npm_command: "exec" }, "npx pynenc-monitor"],
  ["C:\\app\\node_modules\\.bin\\monitor", { npm_command: "exec" }, "monitor"],
  ["/srv/monitor/bin/monitor.js", { npm_command: "run-script" }, "monitor"],
  ["/usr/local/bin/pynenc-monitor", {}, "monitor"],
  [
    "/home/a/.cache/uv/archive-v0/Q-qkC-rPr2ayVXOw/lib/python3.12/site-packages/pynenc_monitor/program/bin/monitor.js",
    {},
    "uvx pynenc-monitor",
  ],
  [
    "C:\\Users\\a\\AppData\\Local\\uv\\cache\\archive-v0\\Q-qk\\Lib\\site-packages\\pynenc_monitor\\program\\bin\\monitor.js",
    {},
    "uvx pynenc-monitor",
  ],
  [
    "/home/a/.local/share/uv/tools/pynenc-monitor/lib/python3.12/site-packages/pynenc_monitor/program/bin/monitor.js",
    {},
    "monitor",
  ],
  [
    "/home/a/.cache/pipx/59dfbd50c913520/lib/python3.11/site-packages/pynenc_monitor/program/bin/monitor.js",
    {},
    "pipx run pynenc-monitor",
  ],
  [
    "/home/a/.local/share/pipx/venvs/pynenc-monitor/lib/python3.11/site-packages/pynenc_monitor/program/bin/monitor.js",
    {},
    "monitor",
  ],
])("the script %s with environment %j is shown in examples as %s", (script, env, typed) => {
  expect(invokedAs(script, env)).toBe(typed);
});
