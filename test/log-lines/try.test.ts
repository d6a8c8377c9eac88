import { readFileSync } from "node:fs";
import { it } from "vitest";
import { parseLog } from "../../src/log-lines/reader.ts";
it("x", () => {
  for (const n of ["kitchen_sink", "kitchen_sink_023", "pending_triggers"]) {
    const log = readFileSync(`/work/shared/fixtures/${n}.log`, "utf8");
    const { entries } = parseLog(log);
    const kinds: Record<string, number> = {};
    const f: Record<string, number> = {};
    const roles: Record<string, number> = {};
    for (const e of entries) { f[e.format] = (f[e.format] ?? 0) + 1; for (const m of e.marks) { kinds[m.kind] = (kinds[m.kind] ?? 0) + 1; if (m.kind !== "status") roles[m.role] = (roles[m.role] ?? 0) + 1; } }
    console.log(n, entries.length, entries.map((e) => e.raw).join("") === log, f, kinds, roles);
    console.log(entries.filter((e) => e.format === "other").map((e) => [e.line, e.level, e.text.slice(0, 60)]).slice(0, 12), new Set(entries.filter(e=>e.format!=="other"&&!e.context).map(e=>e.text.slice(0,100))).size);
    console.log([...new Set(entries.flatMap(e=>e.marks).filter(m=>m.kind==="condition"||m.kind==="valid_condition"||(m.kind==="runner"&&m.partial===false&&m.id.length!==36)).map(m=>m.kind!=="status"?m.kind+" "+m.id:""))]);
  }
  for (const [name, big] of Object.entries({ colon: ":".repeat(1e7), status: "InvocationStatus.".repeat(6e5), task: "task:".repeat(2e6), brackets: "2026-01-01 00:00:00 INFO a ".repeat(4e5), esc: "\u001b[".repeat(5e6), esc2: "\u001b]8".repeat(3e6), short: "a\n".repeat(5e6), heads: "2026-01-01 00:00:00 INFO a b\n".repeat(350000), json: "{".repeat(1e7)+"}", lists: "tasks:[".repeat(1e6), cron: "condition:cron_* ".repeat(6e5) , par: "2026-01-01 00:00:00 INFO a ["+"A(".repeat(5e6), nest: '{"a":'.repeat(2e5)+"1"+"}".repeat(2e5)})) {
    const t = performance.now(); const { entries, limited } = parseLog(big); console.log(name, Math.round(performance.now() - t), entries.length, limited, entries.map(e=>e.raw).join("")===big, Math.round(process.memoryUsage().heapUsed/1e6));
  }
}, 100000);
