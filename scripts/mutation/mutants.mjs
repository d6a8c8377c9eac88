// The small bugs that mutate.mjs puts into a file: one change of one expression or statement each.
import { parseAst } from "rolldown/parseAst";

const SWAPPED = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
};

/** Calls at the end of a chain that can be left out without changing the kind of the value. */
const LEFT_OUT = new Set(["filter", "slice", "sort", "reverse", "trim", "flat", "toLowerCase"]);

const isText = (node) => node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

/** What can be changed at a node: the operator's name, the place, and the replacement. */
function* changesAt(node, parent, text) {
  const whole = (operator, replacement) => ({ operator, start: node.start, end: node.end, replacement });
  switch (node.type) {
    case "BinaryExpression": {
      const swapped = SWAPPED[node.operator];
      if (swapped === undefined || (node.operator === "+" && (isText(node.left) || isText(node.right)))) return;
      const kind = "+-*/%".includes(node.operator) ? "arithmetic" : "comparison";
      yield whole(kind, `${text(node.left)} ${swapped} ${text(node.right)}`);
      return;
    }
    case "LogicalExpression":
      if (node.operator === "??") yield whole("fallback", `(${text(node.left)})`);
      // In parentheses: "&&" binds tighter than "||".
      else yield whole("logic", `((${text(node.left)}) ${node.operator === "&&" ? "||" : "&&"} (${text(node.right)}))`);
      return;
    case "UnaryExpression":
      if (node.operator === "!") yield whole("negation", `(${text(node.argument)})`);
      if (node.operator === "-" && parent.type !== "BinaryExpression") yield whole("arithmetic", text(node.argument));
      return;
    case "IfStatement":
    case "WhileStatement":
    case "ConditionalExpression": {
      const { start, end } = node.test;
      yield { operator: "condition", start, end, replacement: `!(${text(node.test)})` };
      if (node.type === "IfStatement") yield { operator: "condition", start, end, replacement: "false" };
      return;
    }
    case "Literal":
      if (typeof node.value === "number") {
        yield whole("number", `${node.value + 1}`);
        if (node.value > 0) yield whole("number", `${node.value - 1}`);
      } else if (typeof node.value === "boolean") yield whole("boolean", `${!node.value}`);
      else if (typeof node.value === "string") yield whole("text", node.value === "" ? '"mutated"' : '""');
      return;
    case "TemplateLiteral":
      yield whole("text", '""');
      return;
    case "ArrayExpression":
      if (node.elements.length > 0) yield whole("list", "[]");
      return;
    case "CallExpression":
      if (node.callee.type === "MemberExpression" && LEFT_OUT.has(node.callee.property.name))
        yield whole("call", text(node.callee.object));
      return;
    case "ExpressionStatement":
      if (node.directive === undefined || node.directive === null) yield whole("statement", ";");
      return;
    case "ContinueStatement":
    case "BreakStatement":
      if (parent.type !== "SwitchCase") yield whole("statement", ";");
      return;
    case "BlockStatement": {
      const isBody = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(parent.type);
      if (isBody && node.body.length > 1)
        yield { operator: "return", start: node.start + 1, end: node.start + 1, replacement: " return;" };
      return;
    }
  }
}

/** Types, and where modules come from, are not code that runs. */
const isSkipped = (node) =>
  (node.type.startsWith("TS") && !/^TS(As|NonNull|Satisfies)/.test(node.type)) ||
  node.type === "ImportDeclaration" ||
  (node.type.startsWith("Export") && node.source);

/** Members of these nodes that hold names or types, not values. */
const NAMES = {
  Property: ["key"],
  PropertyDefinition: ["key"],
  MethodDefinition: ["key"],
  MemberExpression: ["property"],
};
const TYPES = ["typeAnnotation", "typeParameters", "typeArguments", "returnType", "superTypeArguments", "implements"];

/**
 * All mutants of a file, in the order of the text.
 *
 * @param {string} source
 * @returns {{ operator: string, start: number, end: number, replacement: string, line: number, before: string, after: string }[]}
 *   `line` counts from 1; `before` and `after` are that line as it was and as it became.
 */
export function mutantsOf(source) {
  const text = ({ start, end }) => source.slice(start, end);
  const found = [];
  const visit = (node, parent) => {
    if (isSkipped(node)) return;
    for (const change of changesAt(node, parent, text)) found.push(change);
    for (const [name, value] of Object.entries(node)) {
      if (TYPES.includes(name) || (NAMES[node.type]?.includes(name) && !node.computed)) continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (child !== null && typeof child?.type === "string") visit(child, node);
    }
  };
  visit(parseAst(source, { lang: "ts" }), { type: "none" });
  return found
    .sort((a, b) => a.start - b.start)
    .map((change) => {
      const mutated = mutate(source, change);
      const lineStart = source.lastIndexOf("\n", change.start - 1) + 1;
      const lineOf = (whole) => whole.slice(lineStart, (whole.indexOf("\n", lineStart) + 1 || whole.length + 1) - 1);
      return {
        ...change,
        line: source.slice(0, change.start).split("\n").length,
        before: lineOf(source).trim(),
        after: lineOf(mutated).trim(),
      };
    });
}

/** Where code begins that may run on its own: bodies of functions, to which their parameters belong (`from`), and blocks. */
function placesIn(source) {
  const found = [];
  const visit = (node, parent) => {
    if (isSkipped(node)) return;
    const isBlock = node.type === "BlockStatement";
    const isBody = parent.body === node && parent.params !== undefined;
    if (isBlock || isBody)
      found.push({ start: node.start, end: node.end, isBlock, from: isBody ? parent.start : node.start });
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (child !== null && typeof child?.type === "string") visit(child, node);
  };
  visit(parseAst(source, { lang: "ts" }), { type: "none" });
  return found;
}

/** Names that a module declares for itself alone, with the places of their declarations and of all that is called so. */
function ownNames(source) {
  const names = new Map();
  const { body } = parseAst(source, { lang: "ts" });
  for (const { type, declarations, start, end } of body)
    if (type === "VariableDeclaration")
      for (const { id } of declarations) if (id.type === "Identifier") names.set(id.name, { start, end, uses: [] });
  const visit = (node) => {
    if (node.type === "Identifier") names.get(node.name)?.uses.push(node.start);
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (child !== null && typeof child?.type === "string") visit(child);
  };
  for (const statement of body) visit(statement);
  return [...names.values()];
}

/**
 * The file that notes in `globalThis.mutationHits` what of it runs: numbers from `first` on. The first stands for the module itself.
 *
 * @returns {{ code: string, module: number, next: number, placesOf: (at: number) => number[] }} `module` is the first number and `next` the
 *   first that is free; `placesOf` gives the numbers of which one is noted when what stands at an offset of the source counts: where it runs
 *   or, for a constant, where it is used.
 */
export function marked(source, first) {
  const places = placesIn(source).map((place, index) => ({ ...place, number: first + 1 + index }));
  const constants = ownNames(source);
  const noted = (number) => `globalThis.mutationHits[${number}] = 1`;
  const insertions = places.flatMap(({ start, end, isBlock, number }) =>
    isBlock
      ? [{ at: start + 1, text: ` ${noted(number)};`, depth: 0 }]
      : [
          { at: start, text: `((${noted(number)}), `, depth: 0 },
          { at: end, text: ")", depth: 1 },
        ],
  );
  let code = source;
  // From the end on, so that the places before stay where they are.
  for (const { at, text } of insertions.sort((a, b) => b.at - a.at || a.depth - b.depth))
    code = code.slice(0, at) + text + code.slice(at);

  function innermost(at) {
    const around = places.filter(({ end, from }) => from <= at && at < end);
    return around.reduce((inner, one) => (inner === null || one.start >= inner.start ? one : inner), null)?.number;
  }
  function placesOf(at, known = new Set()) {
    const inner = innermost(at);
    if (inner !== undefined) return [inner];
    const constant = constants.find(({ start, end }) => start <= at && at < end);
    if (constant === undefined || known.has(constant)) return known.has(constant) ? [] : [first];
    known.add(constant);
    const uses = constant.uses.filter((use) => use < constant.start || use >= constant.end);
    return [...new Set(uses.flatMap((use) => placesOf(use, known)))];
  }
  // Before anything else of the module runs: the first module of all comes before the set-up of the tests.
  code = `globalThis.mutationHits ??= []; ${noted(first)}; ${code}`;
  return { code, module: first, next: first + 1 + places.length, placesOf };
}

/** The file with one change. */
export function mutate(source, { start, end, replacement }) {
  return source.slice(0, start) + replacement + source.slice(end);
}
