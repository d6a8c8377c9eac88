/** What workflow runs are asked for with. */
import { limit, pageNumber, paging } from "./common.ts";
import { withoutFlags } from "./parameter.ts";

export const workflowRunsInput = paging();

export const workflowInput = withoutFlags({
  page: { ...pageNumber, meaning: "page of the members" },
  limit: limit(500, 50, "members of a page"),
  data_page: { ...pageNumber, meaning: "page of the data" },
});
