/**
 * The log explorer: a file dropped on the field is chosen, and lines and marks of the timeline light each other up. Marks are known by the
 * data attributes that templates/svg/timeline.tsx promises.
 */

/** What a mark of the timeline refers to; its first attribute in this order decides, so that a marker is only its event. */
const MARKS = [
  ["event", "eventId"],
  ["trigger_run", "triggerRunId"],
  ["atomic_service_run", "atomicServiceRunId"],
  ["invocation", "invocationId"],
] as const;
const POINTED = ".marker, .service, .strand";

/** A workflow is the invocation that defines it. */
const SAME: Readonly<Record<string, string>> = { workflow: "invocation" };

export function startLogLines(): void {
  const field = document.querySelector<HTMLElement>(".log-field");
  if (field !== null) takeDrops(field);
  const explorer = document.querySelector<HTMLElement>("[data-log-explorer]");
  if (explorer !== null) lightUp(explorer);
}

function takeDrops(field: HTMLElement): void {
  const input = field.querySelector<HTMLInputElement>("input[type=file]");
  const over = (event: DragEvent, is: boolean) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    field.classList.toggle("dropping", is);
  };
  field.addEventListener("dragover", (event) => over(event, true));
  field.addEventListener("dragleave", (event) => over(event, false));
  field.addEventListener("drop", (event) => {
    over(event, false);
    const files = event.dataTransfer?.files;
    if (input === null || files === undefined || files.length === 0) return;
    input.files = files;
  });
}

/** Names of things with the elements that stand for them, on either side. */
type Index = Map<string, Element[]>;

function lightUp(explorer: HTMLElement): void {
  const marks: Index = new Map();
  const lanes: Index = new Map();
  const lines: Index = new Map();
  for (const mark of explorer.querySelectorAll(POINTED)) for (const name of namesOfMark(mark)) add(marks, name, mark);
  for (const strand of explorer.querySelectorAll<SVGElement>(".strand")) {
    if (strand.dataset.taskId !== undefined) add(marks, `task ${strand.dataset.taskId}`, strand);
  }
  for (const lane of explorer.querySelectorAll<SVGElement>(".lane[data-runner-id]")) {
    add(lanes, `runner ${lane.dataset.runnerId}`, lane);
  }
  for (const line of explorer.querySelectorAll(".log-line"))
    for (const name of namesInLine(line)) add(lines, name, line);

  let lit: readonly Element[] = [];
  const light = (next: readonly Element[]) => {
    for (const element of lit) element.classList.remove("related");
    for (const element of next) element.classList.add("related");
    lit = next;
  };
  const follow = (event: Event) => {
    const target = event.target instanceof Element ? event.target : null;
    const mark = target?.closest(POINTED) ?? null;
    if (mark !== null) {
      // Elsewhere a mark also highlights its relatives; here only the lines that mention it.
      event.stopPropagation();
      light([mark, ...namesOfMark(mark).flatMap((name) => lines.get(name) ?? [])]);
      return;
    }
    const line = target?.closest(".log-line") ?? null;
    if (line === null) return light([]);
    const own = marksOf(namesInLine(line), marks, lanes);
    light([line, ...own]);
    // Prefer where it ran over where it was registered.
    if (event.type === "pointerover") reveal(own.find((mark) => mark.querySelector(".bar") !== null) ?? own[0]);
  };
  for (const kind of ["pointerover", "focusin"]) explorer.addEventListener(kind, follow);
  explorer.addEventListener("pointerleave", () => light([]));
}

/** What the line is about. Every line has a runner and many a task: they count where it names nothing of its own. */
function marksOf(names: readonly string[], marks: Index, lanes: Index): Element[] {
  const own = names.filter((name) => !name.startsWith("task ")).flatMap((name) => marks.get(name) ?? []);
  if (own.length > 0) return own;
  const ofTask = names.flatMap((name) => marks.get(name) ?? []);
  return ofTask.length > 0 ? ofTask : names.flatMap((name) => lanes.get(name) ?? []);
}

/** The timeline may be taller than the room it has: it scrolls, and the page stays. */
function reveal(mark: Element | undefined): void {
  const room = mark?.closest(".log-timeline-body");
  if (mark === undefined || room == null) return;
  const place = mark.getBoundingClientRect();
  const frame = room.getBoundingClientRect();
  if (place.bottom > frame.bottom) room.scrollTop += place.bottom - frame.bottom + 8;
  else if (place.top < frame.top) room.scrollTop -= frame.top - place.top + 8;
}

function namesOfMark(mark: Element): string[] {
  const { dataset } = mark as SVGElement;
  for (const [kind, attribute] of MARKS) {
    const ids = dataset[attribute];
    if (ids !== undefined) return (kind === "trigger_run" ? ids.split(" ") : [ids]).map((id) => `${kind} ${id}`);
  }
  return [];
}

function namesInLine(line: Element): string[] {
  return [...line.querySelectorAll<HTMLElement>("[data-kind]")].map(
    ({ dataset: { kind = "", id = "" } }) => `${SAME[kind] ?? kind} ${id}`,
  );
}

function add(index: Index, name: string, element: Element): void {
  const known = index.get(name);
  if (known === undefined) index.set(name, [element]);
  else if (!known.includes(element)) known.push(element);
}
