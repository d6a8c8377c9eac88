/**
 * Appends to a record as any program of the user may.
 *
 *   node append.mjs <audit-file.js> <folder> <most bytes> <name> <lines>
 */
const [, , module, folder, mostBytes, name, lines] = process.argv;
const { AuditFile } = await import(module);
const file = new AuditFile(folder, Number(mostBytes));
for (let i = 0; i < Number(lines); i++) {
  const about = { app_id: "shop", location: "/app.db", action: "rerun", via: "cli", who: name };
  const message = "x".repeat((i * 37) % 500);
  file.append({ id: `${name}-${i}`, at: new Date().toISOString(), ...about, outcome: "done", message, counters: {} });
}
