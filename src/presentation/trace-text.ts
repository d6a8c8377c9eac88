/** A causal trace as text for drawing programs: Mermaid and Graphviz. All stored text is escaped. */
import type { NodeKind, Trace } from "../api/causes.ts";
import { EDGE_WORDS } from "./edge-words.ts";
import { KIND_WORDS } from "./thing-links.ts";

/** Mermaid's default limit of edges (`maxEdges`). */
export const MERMAID_EDGES = 500;

interface DrawnNode {
  name: string;
  kind: NodeKind;
  /** One line each. */
  lines: string[];
  focus: boolean;
}

interface Drawing {
  nodes: DrawnNode[];
  edges: { from: string; to: string; words: string }[];
}

const MERMAID_SHAPES: Readonly<Record<NodeKind, readonly [open: string, close: string]>> = {
  invocation: ["[", "]"],
  event: ["([", "])"],
  trigger_run: ["{{", "}}"],
};

/** A flow chart for Markdown documents. */
export function mermaidText(trace: Trace): string {
  const { nodes, edges } = drawingOf(trace);
  const lines = nodes.map(({ name, kind, lines: words }) => {
    const [open, close] = MERMAID_SHAPES[kind];
    return `  ${name}${open}"${words.map(mermaidEscaped).join("<br/>")}"${close}`;
  });
  const arrows = edges.map(({ from, to, words }) => `  ${from} -->|${words}| ${to}`);
  const focus = nodes.filter((node) => node.focus).map((node) => `  style ${node.name} stroke-width:3px`);
  return `${["flowchart TD", ...lines, ...arrows, ...focus].join("\n")}\n`;
}

const DOT_SHAPES: Readonly<Record<NodeKind, string>> = {
  invocation: "box",
  event: "ellipse",
  trigger_run: "hexagon",
};

/** A directed graph for Graphviz. */
export function dotText(trace: Trace): string {
  const { nodes, edges } = drawingOf(trace);
  const lines = nodes.map(({ name, kind, lines: words, focus }) => {
    const label = words.map(dotEscaped).join("\\n");
    return `  ${name} [shape=${DOT_SHAPES[kind]}, label="${label}"${focus ? ", penwidth=3" : ""}];`;
  });
  const arrows = edges.map(({ from, to, words }) => `  ${from} -> ${to} [label="${words}"];`);
  return `${["digraph trace {", ...lines, ...arrows, "}"].join("\n")}\n`;
}

function drawingOf(trace: Trace): Drawing {
  const nodes = new Map<string, DrawnNode>();
  const add = (kind: NodeKind, id: string, ...words: string[]) => {
    const key = `${kind}:${id}`;
    if (nodes.has(key)) return;
    const focus = kind === trace.focus_kind && id === trace.focus_id;
    nodes.set(key, { name: `n${nodes.size}`, kind, lines: [...words, id].map(oneLine), focus });
  };
  for (const { event_id, event_code } of trace.events) add("event", event_id, `event ${event_code}`);
  for (const { trigger_run_id, task_id_key } of trace.trigger_runs) {
    add("trigger_run", trigger_run_id, `trigger run of ${task_id_key}`);
  }
  for (const { invocation_id, task_id_key, status } of trace.invocations) {
    add("invocation", invocation_id, task_id_key ?? "invocation, not stored", status);
  }
  // Nodes to which only a reference is stored.
  add(trace.focus_kind, trace.focus_id, notStored(trace.focus_kind));
  const edges = trace.edges.map(({ from, from_kind, to, to_kind, kind }) => {
    add(from_kind, from, notStored(from_kind));
    add(to_kind, to, notStored(to_kind));
    const name = (key: string) => nodes.get(key)?.name ?? "";
    return { from: name(`${from_kind}:${from}`), to: name(`${to_kind}:${to}`), words: EDGE_WORDS[kind] };
  });
  return { nodes: [...nodes.values()], edges };
}

function notStored(kind: NodeKind): string {
  return `${KIND_WORDS[kind]}, not stored`;
}

const LONGEST_LINE = 80;

/** Without line breaks and invisible characters; long text is shortened in the middle. */
function oneLine(text: string): string {
  const characters = Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd"));
  if (characters.length <= LONGEST_LINE) return characters.join("");
  return `${characters.slice(0, LONGEST_LINE - 13).join("")}…${characters.slice(-12).join("")}`;
}

/** Everything that could be markup, a directive or the end of the label becomes a numeric entity (`#35;`), which Mermaid decodes. */
function mermaidEscaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._:/…-]/gu, (character) => `#${character.codePointAt(0)};`);
}

function dotEscaped(text: string): string {
  return text.replace(/[\\"]/g, (character) => `\\${character}`);
}
