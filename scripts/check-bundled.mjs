// Licences of what is bundled, and published advisories about it: node scripts/check-bundled.mjs. Needs dist/ (npm run build).
// npm's audit of an installed pynenc-monitor sees no packages, so it is made here. Skipped where the registry answers no audit.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Licences that ask for no more than their text. */
const ACCEPTED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

const { components } = JSON.parse(readFileSync(join(root, "dist", "sbom.cdx.json"), "utf8"));
const problems = components
  .filter(({ licenses: [{ expression }] }) => !ACCEPTED.includes(expression))
  .map(({ name, version, licenses: [{ expression }] }) => `${name} ${version} has the licence ${expression}`);

const { stdout } = spawnSync("npm", ["audit", "--json"], {
  cwd: root,
  encoding: "utf8",
  shell: process.platform === "win32",
});
const advisories = parsed(stdout)?.vulnerabilities;
if (advisories === undefined) console.log("Advisories: skipped, the registry answers no audit.");
else
  for (const { name, via } of Object.values(advisories).filter(({ name }) =>
    components.some((one) => one.name === name),
  ))
    for (const advisory of via.filter((one) => typeof one === "object"))
      problems.push(`${name}: ${advisory.title} (${advisory.severity}, ${advisory.url})`);

console.log(`Bundled: ${components.length} packages, ${problems.length} problems.`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
