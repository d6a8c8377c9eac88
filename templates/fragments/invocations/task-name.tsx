import { visibleLine } from "../../../src/presentation/text.ts";

export interface TaskNameProps {
  /** `<module>.<function>`, parted at the last dot (storage-format.md 1.1). Null if no definition says it. */
  task_id_key: string | null;
  href?: string | undefined;
}

export function TaskName({ task_id_key, href }: TaskNameProps) {
  if (task_id_key === null) return <span class="muted">task not stored</span>;
  const dot = task_id_key.lastIndexOf(".") + 1;
  const words = (
    <bdi>
      <span class="task-module">{visibleLine(task_id_key.slice(0, dot))}</span>
      <wbr />
      <span class="task-function">{visibleLine(task_id_key.slice(dot)) || "(empty)"}</span>
    </bdi>
  );
  const title = visibleLine(task_id_key);
  return href === undefined ? (
    <span class="task-name" title={title}>
      {words}
    </span>
  ) : (
    <a class="task-name" href={href} title={title}>
      {words}
    </a>
  );
}
