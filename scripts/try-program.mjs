import { spawn, spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const recorded = fileURLToPath(new URL("../test/fixtures/kitchen_sink.db", import.meta.url));

/**
 * Runs what a newcomer would with an installed program, and returns what went wrong, a sentence each.
 *
 * @param command the program and the arguments that come before its own
 * @param options `folder`: where it may write; `version`: what it has to print; `sqlite`: whether its Node can read SQLite, otherwise it has to say so
 */
export async function tryProgram([program, ...first], { folder, version, sqlite }) {
  const found = [];
  const run = (...args) => spawnSync(program, [...first, ...args], { encoding: "utf8", cwd: folder });
  const printed = run("--version");
  if (printed.stdout?.trim() !== version)
    found.push(`--version: ${printed.stdout}${printed.stderr}${printed.error ?? ""}`);
  const db = join(folder, "demo.db");
  const demo = run("demo", "--no-serve", "--db", db);
  if (!sqlite) {
    if (demo.status !== 4 || !demo.stderr.includes("better-sqlite3 is not installed"))
      found.push(`demo without SQLite: ${demo.status} ${demo.stderr}`);
    return found;
  }
  if (demo.status !== 0 || demo.stdout.trim() !== db) found.push(`demo: ${demo.status} ${demo.stderr}`);
  const store = ["--db", db, "--app", "demo-shop"];
  const status = run("status", ...store, "--json");
  if (status.status !== 0 || !(JSON.parse(status.stdout).invocations > 0))
    found.push(`status: ${status.status} ${status.stdout}${status.stderr}`);
  const app = join(folder, "app é.db");
  copyFileSync(recorded, app);
  const known = run("status", "--db", app, "--app", "kitchen_sink", "--json");
  if (known.status !== 0 || JSON.parse(known.stdout).invocations !== 207)
    found.push(`status of a recorded app: ${known.status} ${known.stdout}${known.stderr}`);
  const missing = run("show", "00000000-0000-4000-8000-000000000000", ...store);
  if (missing.status !== 3) found.push(`show of an unknown id: ${missing.status} instead of 3`);
  const server = spawn(program, [...first, "serve", ...store, "--port", "auto"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // On Windows it gets a console of its own, in which Ctrl-C reaches nothing else.
    windowsHide: true,
  });
  server.stderr.pipe(process.stderr);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  try {
    const address = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
    for (const path of ["/", "/invocations/", "/invocations/timeline", "/assets/idiomorph.js", "/health"]) {
      const answer = await fetch(new URL(path, address));
      if (answer.status !== 200) found.push(`${path}: ${answer.status}`);
    }
  } finally {
    if (process.platform !== "win32" || !ctrlC(server.pid)) server.kill("SIGINT");
  }
  const code = await ended;
  if (code !== 0) found.push(`serve ends with ${code} after Ctrl-C`);
  return found;
}

/** Windows has no signals: what is typed into a console goes to every program in it. @returns whether it was typed */
function ctrlC(process) {
  const methods = [
    "bool FreeConsole()",
    "bool AttachConsole(uint process)",
    "bool SetConsoleCtrlHandler(IntPtr handler, bool add)",
    "bool GenerateConsoleCtrlEvent(uint event_, uint group)",
  ].map((method) => `[DllImport("kernel32.dll")] public static extern ${method};`);
  const script = `
    Add-Type -Name Console -Namespace Win -MemberDefinition '${methods.join(" ")}'
    [Win.Console]::FreeConsole() | Out-Null
    if (-not [Win.Console]::AttachConsole(${process})) { exit 1 }
    [Win.Console]::SetConsoleCtrlHandler([IntPtr]::Zero, $true) | Out-Null
    if (-not [Win.Console]::GenerateConsoleCtrlEvent(0, 0)) { exit 1 }`;
  const encoded = Buffer.from(script, "utf16le").toString("base64");
  return spawnSync("powershell", ["-NoProfile", "-EncodedCommand", encoded], { stdio: "inherit" }).status === 0;
}
