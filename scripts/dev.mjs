// `npm run dev`: serves the living demo, rebuilds and restarts on every change of src/ or templates/, and has open pages reload. Arguments
// go to the monitor instead of the demo's: `npm run dev -- serve --db app.db`. The page is served through a proxy that adds one script, so
// the program itself knows nothing of this.
import { spawn, spawnSync } from "node:child_process";
import { watch } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const PORT = Number(process.env.PORT ?? 8000);
/** Nobody opens this one. */
const INNER_PORT = PORT + 1;
/** A save of several files is one change. */
const QUIET_MS = 150;
const PATIENCE_MS = 10_000;

const RELOAD_PATH = "/__dev/reload";
const RELOAD_SCRIPT = `new EventSource("${RELOAD_PATH}").onmessage = () => location.reload();`;

const given = process.argv.slice(2);
const command = given.length > 0 ? given : ["demo", "--live"];
const pages = new Set();
let monitor = null;

function build() {
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "build.mjs"), "--dev"], { stdio: "inherit" });
  return status === 0;
}

function start() {
  monitor = spawn(
    process.execPath,
    [join(root, "bin", "monitor.js"), ...command, "--port", String(INNER_PORT), "--dev"],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
}

async function restart() {
  // A failed build has printed why; the running program stays up.
  if (!build()) return;
  const ended = new Promise((resolve) => monitor.once("exit", resolve));
  monitor.kill("SIGTERM");
  await ended;
  start();
  for (const page of pages) page.write("data: changed\n\n");
}

const server = createServer((incoming, outgoing) => {
  if (incoming.url === RELOAD_PATH) {
    outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).flushHeaders();
    pages.add(outgoing);
    outgoing.on("close", () => pages.delete(outgoing));
  } else if (incoming.url === `${RELOAD_PATH}.js`) {
    outgoing.writeHead(200, { "content-type": "text/javascript" }).end(RELOAD_SCRIPT);
  } else {
    forward(incoming, outgoing, Date.now() + PATIENCE_MS);
  }
});

/** While the monitor restarts, requests wait for it. */
function forward(incoming, outgoing, until) {
  const headers = { ...incoming.headers, "accept-encoding": "identity" };
  const inner = request({ host: "127.0.0.1", port: INNER_PORT, method: incoming.method, path: incoming.url, headers });
  inner.on("response", (answer) => {
    const isPage =
      String(answer.headers["content-type"]).startsWith("text/html") && incoming.headers["hx-request"] === undefined;
    if (!isPage) {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    let page = "";
    answer.setEncoding("utf8").on("data", (part) => (page += part));
    answer.on("end", () => {
      const { "content-length": _, etag: __, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode, rest);
      outgoing.end(page.replace("</head>", `<script src="${RELOAD_PATH}.js" type="module"></script></head>`));
    });
  });
  inner.on("error", (error) => {
    const again = error.code === "ECONNREFUSED" && Date.now() < until && !incoming.readableFlowing;
    if (again) setTimeout(() => forward(incoming, outgoing, until), 100);
    else outgoing.writeHead(502).end(`The monitor does not answer: ${error.message}\n`);
  });
  if (incoming.method === "GET" || incoming.method === "HEAD") inner.end();
  else incoming.pipe(inner);
}

let waiting = null;
let working = Promise.resolve();
for (const folder of ["src", "templates"]) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      working = working.then(restart);
    }, QUIET_MS);
  });
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    monitor?.once("exit", () => process.exit(0));
    monitor?.kill("SIGTERM");
  });
}

if (!build()) process.exit(1);
start();
server.listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}/`));
