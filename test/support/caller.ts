/** The runner context of whoever registers calls again in tests. */
export const CALLER = {
  runner_id: "me",
  runner_cls: "ExternalRunner",
  hostname: "here",
  pid: 1,
  thread_id: 1,
  parent_ctx_id: null,
};
