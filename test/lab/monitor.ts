/** The program under test, asked as its users ask it: commands, pages, JSON over HTTP, and tools of an assistant. */
import { type ChildProcess, spawn } from "node:child_process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse } from "node-html-parser";
import { inject } from "vitest";

export interface Answer {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Monitor {
  readonly #storeArgs: readonly string[];
  readonly #options: { cwd: string; env: Readonly<Record<string, string>> };
  #server: { child: ChildProcess; url: Promise<string> } | null = null;

  constructor(storeArgs: readonly string[], options: { cwd: string; env: Readonly<Record<string, string>> }) {
    this.#storeArgs = storeArgs;
    this.#options = options;
  }

  /** The command that shows the same to a person. */
  command(args: readonly string[]): string {
    return ["monitor", ...args, ...this.#storeArgs].join(" ");
  }

  /** A command line and everything it printed. */
  run(args: readonly string[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const child = this.#spawn([...args, ...this.#storeArgs]);
      const answer: Answer = { code: null, stdout: "", stderr: "" };
      child.stdout?.setEncoding("utf8").on("data", (text: string) => (answer.stdout += text));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (answer.stderr += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ ...answer, code }));
    });
  }

  /** What a command prints for people. @throws if it fails. */
  async text(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`${this.command(args)} exits with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  /** The document that a command prints with `--json`, whatever its exit code says. */
  async json<Document = Record<string, unknown>>(...args: readonly string[]): Promise<Document> {
    const { stdout, stderr } = await this.run([...args, "--json"]);
    if (stdout === "") throw new Error(`${this.command(args)} --json prints nothing\n${stderr}`);
    return JSON.parse(stdout) as Document;
  }

  /** The text of a page, without markup. */
  async page(path: string): Promise<string> {
    const response = await fetch(new URL(path, await this.#url()), { headers: { accept: "text/html" } });
    const html = await response.text();
    if (!response.ok) throw new Error(`${path} answers ${response.status}\n${html.slice(0, 500)}`);
    const main = parse(html).querySelector("main");
    return (main?.textContent ?? "").replace(/\s+/g, " ");
  }

  /** The JSON of the same address. */
  async http<Document = Record<string, unknown>>(path: string): Promise<Document> {
    const response = await fetch(new URL(path, await this.#url()), { headers: { accept: "application/json" } });
    return (await response.json()) as Document;
  }

  /** Whatever an address answers, failures included. */
  async ask(path: string, accept = "application/json"): Promise<{ status: number; text: string }> {
    const response = await fetch(new URL(path, await this.#url()), { headers: { accept } });
    return { status: response.status, text: await response.text() };
  }

  /** Does what the form of a page does, and returns the outcome with its status. */
  async post(path: string, fields: Record<string, string> = {}): Promise<{ status: number; outcome: unknown }> {
    const url = new URL(path, await this.#url());
    const headers = { accept: "application/json", origin: url.origin };
    const response = await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields) });
    return { status: response.status, outcome: await response.json() };
  }

  /** What a tool answers to an assistant, in a session of its own. @throws if the tool fails. */
  async tool<Document = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}): Promise<Document> {
    const client = new Client({ name: "lab", version: "1" });
    const { cwd, env } = this.#options;
    const [command, ...first] = inject("monitor");
    const server = { command, args: [...first, "mcp", ...this.#storeArgs], cwd, env: { ...env } };
    await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }));
    try {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
      if (isError === true) throw new Error(JSON.stringify(content));
      return (structuredContent as { answer: Document }).answer;
    } finally {
      await client.close();
    }
  }

  #url(): Promise<string> {
    this.#server ??= this.#serve();
    return this.#server.url;
  }

  #serve(): { child: ChildProcess; url: Promise<string> } {
    const child = this.#spawn(["serve", "--port", "auto", ...this.#storeArgs]);
    const url = new Promise<string>((resolve, reject) => {
      let text = "";
      const look = (piece: string) => {
        text += piece;
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
        if (found !== undefined) resolve(found);
      };
      child.stdout?.setEncoding("utf8").on("data", look);
      child.stderr?.setEncoding("utf8").on("data", look);
      child.on("exit", () => reject(new Error(`The server ended:\n${text}`)));
    });
    return { child, url };
  }

  #spawn(args: readonly string[]): ChildProcess {
    const [command, ...first] = inject("monitor");
    return spawn(command, [...first, ...args], { ...this.#options, stdio: ["ignore", "pipe", "pipe"] });
  }

  async close(): Promise<void> {
    const child = this.#server?.child;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
}
