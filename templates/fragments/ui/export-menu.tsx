/** The formats of a list as a file. @param hrefFor from `useLinks()`. */
export function ExportMenu({ filtered, hrefFor }: { filtered: boolean; hrefFor: (format: "csv" | "jsonl") => string }) {
  return (
    <details class="menu menu-right">
      <summary>{filtered ? "Export these" : "Export all"}</summary>
      <div class="menu-panel">
        <a href={hrefFor("csv")}>CSV</a>
        <a href={hrefFor("jsonl")}>JSON lines</a>
      </div>
    </details>
  );
}
