/** What the health of an app is asked with. */
import { SEVERITIES } from "../api/words.ts";
import { paging } from "./common.ts";
import { text, word } from "./parameter.ts";

export const appsInput = paging(50);

const FAILURE_LIMIT = /^(?:\d{1,9}|(?:100(?:\.0+)?|\d{1,2}(?:\.\d{1,3})?)%)$/;

export const checkInput = {
  fail_on: word("which verdicts count", SEVERITIES, {
    flag: "--fail-on <severity>",
    explained: { warning: "and errors" },
    usual: "error",
  }),
  max_failed: text("how many invocations may have failed: a number such as 10, or a share such as 5%", {
    flag: "--max-failed <limit>",
    form: FAILURE_LIMIT,
    accepted: "a number of invocations such as 10, or a share of those that finished such as 5%",
  }),
  from: text("since when --max-failed counts (default 1h)", { flag: "--since <time>", read: "time" }),
  task_id: text("the task that --max-failed counts; a part of its name is enough", {
    flag: "--task <task>",
    completion: "task",
  }),
  max_queue_age: text("longest wait of a queued message: 90s, 5m", {
    flag: "--max-queue-age <length>",
    read: "length",
  }),
} as const;
