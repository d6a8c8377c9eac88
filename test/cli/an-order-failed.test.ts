/** docs/an-order-failed.md: whoever types what it shows gets what it shows, from the first line on. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { monitor, sharedFolder } from "./monitor.ts";

const STORY = readFileSync(fileURLToPath(new URL("../../docs/an-order-failed.md", import.meta.url)), "utf8");
const folder = sharedFolder();

interface Typed {
  command: string;
  printed: string[];
}

/** A line that begins with `$` and is not indented is typed; those below it are printed. */
function typedIn(text: string): Typed[] {
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((one) => {
        const [command = "", ...printed] = one.trimEnd().split("\n");
        return { command, printed };
      }),
  );
}

/** Words as a shell passes them on. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Lines are wrapped for the terminal. */
const collapsed = (text: string) => text.replace(/\s+/g, " ").trim();

test("every command in the story of a failed order prints what the document shows", async () => {
  const env: Record<string, string> = {};
  const done: string[] = [];
  for (const { command, printed } of typedIn(STORY)) {
    const [program, name = "", ...args] = wordsOf(command);
    if (program === "export") {
      for (const word of [name, ...args]) Object.assign(env, Object.fromEntries([word.split("=")]));
      continue;
    }
    expect(program).toBe("monitor");
    done.push(name);
    // It would not end, and prints where it listens.
    if (name === "serve") continue;
    let output = "";
    // On a busy machine, `why` may leave out figures over time that it could not read within a second.
    for (let tries = name === "why" ? 20 : 1; tries > 0 && !/It is one of/.test(output); tries -= 1) {
      const { code, stdout, stderr } = await monitor([name, ...args], { cwd: folder, env });
      expect({ command, code }).toEqual({ command, code: 0 });
      output = collapsed(`${stdout}\n${stderr}`);
    }
    let rest = output;
    for (const part of printed.join("\n").split(/^…$/m)) {
      expect(rest).toContain(collapsed(part));
      rest = rest.slice(rest.indexOf(collapsed(part)) + collapsed(part).length);
    }
    // What is left out is marked.
    if (name !== "demo" && printed.length > 0 && printed.at(-1) !== "…") expect(rest).toBe("");
  }
  expect(done).toEqual(["demo", "serve", "invocations", "why", "failures", "compare", "rerun"]);
});
