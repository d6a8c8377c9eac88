// Writes docs/http-api.md from the OpenAPI document of the monitor, which it starts for a moment: `node scripts/api-reference.mjs`. Build first.
// A test holds the page against the document.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(fileURLToPath(import.meta.url), "..", "..");
export const REFERENCE = join(ROOT, "docs", "http-api.md");

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(REFERENCE, referenceOf(await documentOfMonitor()));

/** The page. @param document as `/openapi.json` answers it */
export function referenceOf({ paths, components }) {
  const areas = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [area] = operation.tags;
      areas.set(area, [...(areas.get(area) ?? []), { method: method.toUpperCase(), path, ...operation }]);
    }
  }
  const shared = components.parameters.app;
  const lines = [
    "# Addresses and answers",
    "",
    "Made from `/openapi.json` by `node scripts/api-reference.mjs`; do not edit. [JSON over HTTP](json.md) explains what all addresses have in common.",
    "",
    `Every address takes \`app\`: ${shared.description} Errors are \`Failure\` documents, for example:`,
    "",
    "```json",
    JSON.stringify(components.responses.Failure.content["application/problem+json"].example, null, 2),
    "```",
    "",
    "`monitor schema NAME` prints the schema of an answer.",
  ];
  for (const [area, operations] of areas) {
    lines.push("", `## ${area[0].toUpperCase()}${area.slice(1)}`);
    for (const operation of operations) lines.push("", ...operationLines(operation));
  }
  return `${lines.join("\n")}\n`;
}

function operationLines({ method, path, summary, parameters, requestBody, responses }) {
  const lines = [`### ${method} ${path}`, "", `${summary}.`, ""];
  const rows = parameters.filter(({ name }) => name !== undefined).map((one) => parameterRow(one));
  const body = requestBody?.content["application/json"].schema;
  for (const [name, { description, ...schema }] of Object.entries(body?.properties ?? {})) {
    rows.push(parameterRow({ name, in: "body", description, schema, required: body.required?.includes(name) }));
  }
  if (rows.length > 0) lines.push("| Parameter | In | Value | Meaning |", "|---|---|---|---|", ...rows, "");
  const content = responses[200]?.content;
  if (content === undefined) {
    lines.push("Answers: a redirect (303).");
    return lines;
  }
  const answer = content["application/json"]?.schema?.$ref?.split("/").at(-1);
  const forms = Object.keys(content).filter((type) => type !== "application/json" || answer === undefined);
  const kinds = [...(answer === undefined ? [] : [`\`${answer}\` as JSON`]), ...forms.map((type) => `\`${type}\``)];
  lines.push(`Answers: ${kinds.join(", ")}.`);
  const example = content["application/json"]?.example;
  if (example !== undefined) lines.push("", "```json", JSON.stringify(example, null, 2), "```");
  return lines;
}

function parameterRow({ name, in: place, required, deprecated, description = "", schema, example }) {
  const marks = [...(required && place !== "path" ? ["required"] : []), ...(deprecated ? ["deprecated"] : [])];
  const shown = example === undefined ? "" : ` For example \`${cell(String(example))}\`.`;
  const meaning = `${cell(description)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}${shown}`.trim();
  return `| \`${name}\` | ${place} | ${acceptedBy(schema)} | ${meaning} |`;
}

/** What a schema accepts, in a few words. */
function acceptedBy(schema) {
  if (schema.$ref !== undefined) return `\`${schema.$ref.split("/").at(-1)}\``;
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return [...new Set(several.map(acceptedBy))].join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${cell(String(one))}\``).join(", ");
  if (schema.const !== undefined) return `\`${cell(String(schema.const))}\``;
  if (schema.type === "array") return `list of ${acceptedBy(schema.items ?? {})}`;
  const { type = "any", minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `${type}, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${type}, at least ${minimum}`;
  return String(type);
}

/** Text in a cell of a table. */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

async function documentOfMonitor() {
  const options = ["demo", "--port", "auto", "--json", "--quiet"];
  const monitor = spawn(process.execPath, [join(ROOT, "bin", "monitor.js"), ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [printed] = await once(monitor.stdout.setEncoding("utf8"), "data");
    const answer = await fetch(new URL("/openapi.json", JSON.parse(printed).url));
    return await answer.json();
  } finally {
    monitor.kill();
  }
}
