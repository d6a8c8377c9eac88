import type { FamilyNode, FamilyTree } from "../../src/api/causes.ts";
import { BOX_HEIGHT, BOX_WIDTH, type Box, familyLayout, type Line } from "../../src/family-tree/layout.ts";
import { FAMILY_EDGE_WORDS } from "../../src/presentation/edge-words.ts";
import type { Links, Query } from "../../src/presentation/links.ts";
import { count, durationPhrase, instant, NOTHING, shortId, visibleLine } from "../../src/presentation/text.ts";
import { statusClass } from "../assets/status-css.ts";
import { useLinks } from "../links.ts";

/** A family as boxes and lines, generations from left to right. Every stored invocation is a link to its page. */
export function FamilyTreeSvg({ tree, limits = {} }: { tree: FamilyTree; limits?: Query | undefined }) {
  const links = useLinks();
  const nodes = new Map(tree.nodes.map((node) => [node.invocation_id, node]));
  const { width, height, boxes, lines } = familyLayout(
    tree.nodes.map((node) => ({
      id: node.invocation_id,
      parent: node.parent_id,
      more: node.children_left_out > 0,
    })),
  );
  return (
    <svg class="family-svg" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{`${count(tree.nodes.length)} invocations in ${count(tree.levels)} generations`}</title>
      {/* Letters can be wider than thought: nothing is written beyond a box. */}
      <clipPath id="family-clip">
        <rect width={BOX_WIDTH} height={BOX_HEIGHT} />
      </clipPath>
      {lines.map((line) => (
        <Edge key={`${line.from}>${line.to ?? ""}`} line={line} nodes={nodes} />
      ))}
      {boxes.map((box) => {
        const node = nodes.get(box.id);
        if (node === undefined) return null;
        if (box.more)
          return (
            <More
              key={`more ${box.id}`}
              box={box}
              node={node}
              href={moreHref(node, tree, limits, links)}
              inPlace={tree.can_expand}
            />
          );
        return <Node key={box.id} box={box} node={node} how={howStarted(node, nodes)} />;
      })}
    </svg>
  );
}

function Edge({ line, nodes }: { line: Line; nodes: ReadonlyMap<string, FamilyNode> }) {
  const kind = line.to === null ? null : (nodes.get(line.to)?.edge_kind ?? null);
  const from = nodes.get(line.from);
  if (kind === null) return <path class="family-edge edge edge-more" d={path(line)} data-from={line.from} />;
  return (
    <path
      class={`family-edge edge edge-${kind}`}
      d={path(line)}
      data-from={line.from}
      data-to={line.to}
      data-edge-kind={kind}
    >
      <title>{`${from === undefined ? "" : functionOf(from)} ${FAMILY_EDGE_WORDS[kind].after}`}</title>
    </path>
  );
}

function path({ x1, y1, x2, y2, detour }: Line): string {
  if (detour === null) {
    const middle = (x1 + x2) / 2;
    return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  }
  return `M${x1} ${y1}H${detour.turn}V${detour.lane}H${x2 - (detour.turn - x1) / 2}V${y2}H${x2}`;
}

/** `branch called it`; nothing of the first. */
function howStarted({ parent_id, edge_kind }: FamilyNode, nodes: ReadonlyMap<string, FamilyNode>): string[] {
  const parent = nodes.get(parent_id ?? "");
  return parent === undefined || edge_kind === null
    ? []
    : [`${functionOf(parent)} ${FAMILY_EDGE_WORDS[edge_kind].after}`];
}

interface NodeProps {
  box: Box;
  node: FamilyNode;
  how: readonly string[];
}

function Node({ box, node, how }: NodeProps) {
  const links = useLinks();
  const { invocation_id: id, status, focus } = node;
  const stored = isStored(node);
  return (
    <g
      id={`family-${id}`}
      class={["family-node", statusClass(status), focus && "family-focus", !stored && "family-ghost"]
        .filter(Boolean)
        .join(" ")}
      transform={`translate(${box.x} ${box.y})`}
      data-invocation-id={id}
      data-status={status}
    >
      <title>{tooltip(node, how)}</title>
      {stored ? (
        <a href={links.invocation(id)} aria-current={focus ? "true" : undefined}>
          <NodeBox node={node} />
          <desc>{[...how, `generation ${node.depth + 1}`].join(", ")}</desc>
        </a>
      ) : (
        <NodeBox node={node} />
      )}
    </g>
  );
}

/** Characters for which there is room. */
const FUNCTION_LETTERS = 29;
const MODULE_LETTERS = 18;
/** Letters on the line that the module shares with the elapsed time. */
const SHARED_LETTERS = 33;
const ID_LETTERS = 20;
const STATUS_LETTERS = 32;
const LEFT = 16;
const MORE_WIDTH = 184;
const MORE_HEIGHT = 28;
const RIGHT = BOX_WIDTH - 10;

/** Blanks between the texts part the words for readers who hear them. */
function NodeBox({ node }: { node: FamilyNode }) {
  const { invocation_id: id, task_id_key: task, registered_at, duration_seconds } = node;
  const module = task === null ? "" : visibleLine(task.slice(0, Math.max(0, task.lastIndexOf("."))));
  const time = duration_seconds === null ? NOTHING : durationPhrase(duration_seconds, node.duration_meaning);
  return (
    <>
      <rect class="family-box" width={BOX_WIDTH} height={BOX_HEIGHT} rx="6" />
      <rect class="family-bar" x="1" y="1" width="5" height={BOX_HEIGHT - 2} rx="2.5" />
      <g clip-path="url(#family-clip)">
        <text class="family-function" x={LEFT} y="18">
          {cut(functionOf(node), FUNCTION_LETTERS)}
        </text>{" "}
        <text class="family-module" x={LEFT} y="32">
          {cutStart(module, Math.min(MODULE_LETTERS, SHARED_LETTERS - time.length))}
        </text>{" "}
        <text class="family-time" x={RIGHT} y="32" text-anchor="end">
          {time}
        </text>{" "}
        <text class="family-id" x={LEFT} y="46">
          {cut(visibleLine(shortId(id)), ID_LETTERS) || "(empty)"}
        </text>{" "}
        <text class="family-time" x={RIGHT} y="46" text-anchor="end">
          {registered_at === null ? "" : instant(registered_at).slice(11)}
        </text>{" "}
        <circle class="family-dot" cx={LEFT + 4} cy="57" r="4" />
        <text class="family-status" x={LEFT + 13} y="61">
          {statusWord(node)}
        </text>
      </g>
    </>
  );
}

/** When no further id can be expanded, the tree of that invocation has room again. */
function moreHref({ invocation_id: id }: FamilyNode, tree: FamilyTree, limits: Query, links: Links): string {
  if (!tree.can_expand) return links.familyTree(id);
  return links.familyTree(tree.focus_id, { ...limits, expand: [...tree.expand, id].join(",") });
}

interface MoreProps {
  box: Box;
  node: FamilyNode;
  href: string;
  /** With scripts the tree on the page is replaced; otherwise the link is followed. */
  inPlace: boolean;
}

function More({ box, node, href, inPlace }: MoreProps) {
  const words = `${count(node.children_left_out)}${node.children_counted ? "" : " or more"} left out`;
  return (
    <g
      class="family-more"
      transform={`translate(${box.x} ${box.y + (box.height - MORE_HEIGHT) / 2})`}
      data-more-of={node.invocation_id}
    >
      <a
        href={href}
        aria-label={`Load more: ${words}, children of ${functionOf(node)}`}
        data-in-place={inPlace ? "" : undefined}
      >
        <rect width={MORE_WIDTH} height={MORE_HEIGHT} rx={MORE_HEIGHT / 2} />
        <text x={MORE_WIDTH / 2} y="18" text-anchor="middle">
          {`Load more: ${words}`}
        </text>
      </a>
    </g>
  );
}

function isStored({ status_source, task_id_key }: FamilyNode): boolean {
  return status_source !== "none" || task_id_key !== null;
}

function statusWord({ status, status_source, task_id_key }: FamilyNode): string {
  if (status_source === "none") return task_id_key === null ? "not stored" : "no status";
  return cut(visibleLine(status) || "(empty)", STATUS_LETTERS);
}

function functionOf({ task_id_key: task }: FamilyNode): string {
  if (task === null) return "unknown task";
  return visibleLine(task.slice(task.lastIndexOf(".") + 1)) || "(empty)";
}

function tooltip(node: FamilyNode, how: readonly string[]): string {
  const { task_id_key: task, invocation_id, registered_at, duration_seconds } = node;
  return [
    task === null ? "unknown task" : visibleLine(task),
    visibleLine(invocation_id),
    isStored(node) ? statusWord(node) : "not stored",
    ...(registered_at === null ? [] : [`registered ${instant(registered_at)} UTC`]),
    ...(duration_seconds === null ? [] : [durationPhrase(duration_seconds, node.duration_meaning)]),
    ...how,
  ].join("\n");
}

function cut(text: string, most: number): string {
  const letters = Array.from(text);
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

/** Cut at the start, because the end of a module's name says more. */
function cutStart(text: string, most: number): string {
  const letters = Array.from(text);
  return letters.length <= most ? text : `…${letters.slice(1 - most).join("")}`;
}
