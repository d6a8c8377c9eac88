/** Settings of htmx for `<meta name="htmx-config">`: nothing that needs eval or inline styles, nothing stored in the browser. */
export function htmxConfig(): string {
  return JSON.stringify({
    allowEval: false,
    allowScriptTags: false,
    includeIndicatorStyles: false,
    selfRequestsOnly: true,
    historyEnabled: false,
    historyCacheSize: 0,
    attributesToSettle: [],
    defaultSettleDelay: 0,
    timeout: 15_000,
    // First match wins. The banner shows errors (client/live.ts); they are never swapped into the page.
    responseHandling: [
      { code: "204", swap: false },
      { code: "304", swap: false },
      { code: "[23]..", swap: true },
      { code: "[45]..", swap: false, error: true },
    ],
  });
}
