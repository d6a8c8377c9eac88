/**
 * Server time and reads of the family tree of a large family: deep and narrow, wide, and one level of everybody; as it comes and with as
 * much of it as can be asked for.
 *
 *   npm run bench:family -- [--size 1000]
 */
import { parseArgs } from "node:util";
import { effectiveSettings } from "../src/config/pynenc-sources.ts";
import { packageRoot } from "../src/package-root.ts";
import { createLinks } from "../src/presentation/links.ts";
import { openedApp } from "../src/services/app/opened-app.ts";
import { type FamilyTreeInput, familyTree, parseFamilyInput } from "../src/services/causes/family-tree.ts";
import { connectStore } from "../src/stores/connect.ts";
import { renderFragment } from "../templates/layout/render.tsx";
import { FamilyTreeSvg } from "../templates/svg/family-tree.tsx";
import { counting } from "../test/support/counting.ts";
import { APP_ID, id, NOW, writeFamily } from "./family.ts";

const ROUNDS = 15;
const { values } = parseArgs({ options: { size: { type: "string", default: "1000" } } });
const size = Number(values.size);
const settings = effectiveSettings({ cwd: packageRoot(), env: {}, configFile: null, appInfo: null });

for (const fanOut of [2, 6, size]) {
  const store = await connectStore(
    { kind: "sqlite", path: writeFamily(size, fanOut), components: new Map() },
    { threads: 2, lockWait: 30, readOnly: true },
  );
  const counted = counting(store.app(APP_ID));
  const app = openedApp(counted.store, settings, () => NOW);
  const usual = parseFamilyInput({});
  const last = Math.floor((size * 10) / 11) - 1;
  for (const [name, focus, input] of [
    ["usual limits, from the root", 0, usual],
    ["usual limits, from the last", last, usual],
    ["ten times expanded", 0, { ...usual, expand: Array<string>(10).fill(id("i", 0)) }],
    ["everything", 0, { ...usual, depth: 100, limit: 2_000 }],
  ] satisfies [string, number, FamilyTreeInput][]) {
    const reading: number[] = [];
    const drawing: number[] = [];
    let line = "";
    for (let i = 0; i < ROUNDS; i++) {
      const before = counted.calls();
      const started = performance.now();
      const tree = await familyTree(app, id("i", focus), input);
      const read = performance.now();
      const html = renderFragment(createLinks(null), <FamilyTreeSvg tree={tree} />);
      reading.push(read - started);
      drawing.push(performance.now() - read);
      line = `${tree.nodes.length} nodes, ${tree.levels} levels, ${counted.calls() - before} reads, ${(html.length / 1e3).toFixed(0)} kB`;
    }
    console.log(
      `${fanOut} children each, ${name}: ${line}; read p50 ${middle(reading)} ms, drawn p50 ${middle(drawing)} ms`,
    );
  }
  await store.close();
}

function middle(times: number[]): string {
  return (times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN).toFixed(1);
}
