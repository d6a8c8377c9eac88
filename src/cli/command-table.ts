/** Commands that do not come from a question: the server, the demo, and what this program does for shells and assistants. */
import { QUESTIONS } from "../questions/all.ts";
import { GROUPS } from "../questions/model/question.ts";
import type { CommandEntry, OptionEntry } from "./command-entry.ts";

/** Names of the tools that assistants get from questions. */
const TOOLS = QUESTIONS.flatMap(({ tool }) => tool?.name ?? []);

const SERVER_OPTIONS: readonly OptionEntry[] = [
  [
    "--host <host>",
    "address to listen on; needs a token if other machines can reach it (PYNENC_MONITOR_HOST; default 127.0.0.1)",
  ],
  [
    "--token <auto>",
    "require a token; auto creates one and prints a one-time sign-in address. Put a token of your own into PYNENC_MONITOR_TOKEN or a file",
  ],
  ["--token-file <path>", "require the token in this file (PYNENC_MONITOR_TOKEN_FILE)"],
  ["--no-token", "allow a --host that other machines can reach without any protection (PYNENC_MONITOR_NO_TOKEN)"],
  ["--public-metrics", "answer /health and /metrics without the token (PYNENC_MONITOR_PUBLIC_METRICS)"],
  [
    "--allow-actions",
    "allow changes even if other machines can reach the monitor; by default it is read-only in that case (PYNENC_MONITOR_ALLOW_ACTIONS)",
  ],
  ["--no-stats", "do not read the history for statistics and failures (PYNENC_MONITOR_NO_STATS)"],
  ["--port <port>", "port, or auto for the next free port (PYNENC_MONITOR_PORT; default 8000)"],
  ["--read-only", "refuse everything that changes data (PYNENC_MONITOR_READ_ONLY)"],
  ["--base-path <path>", "path below which a proxy serves the monitor: /mon (PYNENC_MONITOR_BASE_PATH)"],
  ["--allowed-host <name...>", "more host names to accept in requests (PYNENC_MONITOR_ALLOWED_HOST)"],
  ["--open", "open the browser"],
  ["--dev", "add routes for developing the monitor itself"],
];

export const BROWSER_COMMANDS: readonly CommandEntry[] = [
  {
    usage: "serve",
    group: GROUPS.browser,
    summary: "serve the monitor on this machine",
    details:
      "It listens on this machine only. To use it from another one, tunnel through ssh, or listen on another --host with a token: browsers sign in with a one-time address or the token, scripts send it as Authorization: Bearer. Then nothing can be changed unless you add --allow-actions.",
    options: [
      ...SERVER_OPTIONS,
      [
        "--no-cache",
        "neither load nor save statistics; otherwise they are kept in the user's cache folder for the next start (PYNENC_MONITOR_NO_CACHE)",
      ],
      [
        "--on-verdict <command>",
        "run this command for each error or warning that appears or ends, passed as JSON on standard input; no shell (PYNENC_MONITOR_ON_VERDICT)",
      ],
    ],
    examples: [
      "monitor serve",
      "monitor serve --db app.db --port auto --open",
      "monitor serve --host 0.0.0.0 --token auto",
    ],
    run: async (flags) => (await import("./commands/serve.ts")).run(flags),
  },
  {
    usage: "demo",
    group: GROUPS.browser,
    summary: "write an example app and serve it",
    options: [
      ["--size <number>", "generate this many invocations instead of the example"],
      ["--live", "keep the example app running"],
      ["--seed <number>", "seed of the generated data (default 1)"],
      [
        "--layout <version>",
        "store layout of this pynenc version: 0.2.3, 0.3.1 or 0.4.0 (default; with --url only 0.3.1)",
        { completion: ["0.2.3", "0.3.1", "0.4.0"] },
      ],
      ["--no-serve", "write the app, print its location and exit"],
      ...SERVER_OPTIONS,
    ],
    examples: [
      "monitor demo --live --open",
      "monitor demo --db demo.db --no-serve",
      "monitor status --app demo-shop --db $(monitor demo --no-serve)",
    ],
    run: async (flags) => (await import("./commands/demo.ts")).run(flags),
  },
];

export const PROGRAM_COMMANDS: readonly CommandEntry[] = [
  {
    usage: "mcp",
    group: GROUPS.checks,
    summary: "answer an assistant (Model Context Protocol)",
    details: `Speaks over standard input and output. Assistants start it themselves, by their own settings (docs/agents.md). Tools: ${TOOLS.join(", ")}. Secrets are masked. Nothing is changed unless --allow-actions is given, and then each change is previewed and confirmed.`,
    options: [
      ["--allow-actions", "also offer to rerun, requeue and purge, in two steps: preview, confirmation"],
      ["--no-values", "leave out arguments, results, payloads and messages of exceptions, and offer no logs"],
      ["--logs <file>", "a log file that may be read; repeatable", { repeatable: true }],
    ],
    examples: ["monitor mcp --db app.db", "monitor mcp --db app.db --no-values", "monitor mcp --logs worker.log"],
    run: async (flags) => (await import("./commands/mcp.ts")).run(flags),
  },
  {
    usage: "schema [name]",
    group: GROUPS.checks,
    summary: "print the JSON Schema of an answer, or list their names",
    examples: ["monitor schema", "monitor schema StatusReport", "monitor schema --json | jq -r '.schemas[].name'"],
    run: async (flags, args) => (await import("./commands/schema.ts")).run(flags, args),
  },
  {
    usage: "completion <shell>",
    completion: ["bash", "zsh", "fish"],
    group: GROUPS.checks,
    summary: "print the completion script for bash, zsh or fish",
    details:
      "In the start-up file of the shell: source <(monitor completion bash), source <(monitor completion zsh) after compinit, or monitor completion fish | source.",
    examples: [
      "monitor completion bash >> ~/.bashrc",
      "monitor completion zsh >> ~/.zshrc",
      "monitor completion fish > ~/.config/fish/completions/monitor.fish",
    ],
    run: async (flags, args) => (await import("./commands/completion.ts")).run(flags, args),
  },
  {
    usage: "options",
    group: GROUPS.checks,
    summary: "list the options of every command",
    examples: ["monitor options"],
    run: async (flags, _args, program) => (await import("./commands/options.ts")).run(flags, program),
  },
  {
    usage: "complete [words...]",
    group: GROUPS.checks,
    hidden: true,
    summary: "print completions of the last word, for shells",
    examples: ["monitor complete -- invocations --sta"],
    options: [["--described", "with what the words mean, after a tab"]],
    run: async ({ described }, words, program) =>
      (await import("./commands/complete.ts")).complete(program, words, described === true),
  },
];
