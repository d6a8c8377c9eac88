import { figuresRange } from "../../../templates/layout/time-menu.tsx";
import { TaskContent } from "../../../templates/pages/task.tsx";
import { TasksContent, TasksHeader } from "../../../templates/pages/tasks.tsx";
import { columnNames } from "../../presentation/facts/column.ts";
import { TASK_COLUMNS } from "../../presentation/facts/task.ts";
import { listTasks, taskDetail } from "../../services/tasks/tasks.ts";
import type { Route } from "../context.ts";
import { pageRoutes, rangeAsked, untimed } from "../page-route.tsx";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

const COUNTED_NOW =
  "This page shows the present: how many invocations of a task were in which status is not stored. Statistics and the timeline by task show the past.";

export const taskRoutes: Route[] = [
  ...pageRoutes({
    path: "/tasks/",
    refresh: "/tasks/refresh",
    region: "tasks-content",
    nav: "tasks",
    columns: columnNames(TASK_COLUMNS),
    present: COUNTED_NOW,
    timed: ({ trends }) => figuresRange(trends),
    load: (app, request) => listTasks(app, untimed(request).query, rangeAsked(request)),
    title: () => "Tasks",
    header: TasksHeader,
    content: TasksContent,
  }),
  ...pageRoutes({
    path: "/tasks/:task_id_key",
    region: "task",
    present: COUNTED_NOW,
    nav: "tasks",
    load: (app, request) =>
      withVerdicts(
        app,
        request,
        "task",
        taskDetail(app, request.params.task_id_key ?? "", untimed(request).query, rangeAsked(request)),
        ({ task }) => ({
          kind: "task",
          id: task.task_id_key,
        }),
      ),
    timed: ({ lately }) => figuresRange(lately),
    json: withoutVerdicts,
    title: (model) => model.task.task_id_key,
    content: TaskContent,
  }),
];
