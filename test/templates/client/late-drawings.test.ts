/** Which parts of an answer come later than the rest (templates/client/late-drawings.ts). */
import { expect, it } from "vitest";
import { withoutLargeDrawings } from "../../../templates/client/late-drawings.ts";

const marks = (n: number) => `<svg x="1"><rect/></svg>`.repeat(n);
const plot = (content: string, id = "a") => `<svg class="timeline-plot" id="${id}">${content}</svg>`;
const labels = (content: string) => `<svg class="timeline-labels">${content}</svg>`;

it("withoutLargeDrawings empties large drawings, even with drawings inside, and nothing else", () => {
  const answer = `<p>before</p>${labels(marks(1_000))}<p>between</p>${plot(marks(2_000))}<p>after</p>`;
  expect(withoutLargeDrawings(answer)).toBe(
    `<p>before</p><svg class="timeline-labels" data-late="0"></svg><p>between</p><svg class="timeline-plot" id="a" data-late="1"></svg><p>after</p>`,
  );
});

it("withoutLargeDrawings empties large charts, even with a > in a label", () => {
  const chart = (content: string) => `<svg class="time-chart-plot" aria-label="a > b">${content}</svg>`;
  expect(withoutLargeDrawings(chart(marks(1_000)))).toBe(
    `<svg class="time-chart-plot" aria-label="a > b" data-late="0"></svg>`,
  );
});

it("withoutLargeDrawings keeps small drawings, other drawings, and one that does not end", () => {
  for (const answer of [
    plot(marks(10)),
    `<svg class="other">${marks(2_000)}</svg>`,
    `<svg class="timeline-plot">${marks(2_000)}`,
    "",
  ]) {
    expect(withoutLargeDrawings(answer)).toBe(answer);
  }
  // A small one in front does not hide a large one.
  expect(withoutLargeDrawings(plot("", "a") + plot(marks(2_000), "b"))).toBe(
    `${plot("", "a")}<svg class="timeline-plot" id="b" data-late="0"></svg>`,
  );
});
