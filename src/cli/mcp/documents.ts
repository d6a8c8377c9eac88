/** Resources for an assistant: the documents of the program, and the schemas of its answers. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../package-root.ts";
import { answerSchema, schemaList } from "../../questions/derived/schemas.ts";

export interface DocumentText {
  name: string;
  uri: string;
  title: string;
  mimeType: string;
  text(): string | Promise<string>;
}

/** By uri: `monitor://docs/verdicts`, `monitor://schemas`, `monitor://schemas/WhyAnswer`. */
export async function documents(): Promise<DocumentText[]> {
  const folder = join(packageRoot(), "dist", "docs");
  const docs = readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file): DocumentText => {
      const name = file.slice(0, -".md".length);
      const text = () => readFileSync(join(folder, file), "utf8");
      const title = /^# (.+)$/m.exec(text())?.[1] ?? name;
      return { name: `docs/${name}`, uri: `monitor://docs/${name}`, title, mimeType: "text/markdown", text };
    });
  return [
    ...docs,
    schemas(),
    ...(await schemaList()).schemas.map(({ name, description }) => schema(name, description)),
  ];
}

function schemas(): DocumentText {
  return {
    name: "schemas",
    uri: "monitor://schemas",
    title: "The schemas of all answers",
    mimeType: "application/json",
    text: async () => JSON.stringify(await schemaList()),
  };
}

function schema(name: string, description: string): DocumentText {
  return {
    name: `schemas/${name}`,
    uri: `monitor://schemas/${name}`,
    title: `Schema of ${name}. ${description}`.trimEnd(),
    mimeType: "application/schema+json",
    text: async () => JSON.stringify(await answerSchema(name)),
  };
}
