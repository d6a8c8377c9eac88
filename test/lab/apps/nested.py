"""Tasks that wait for tasks they call, and a runner that pauses them meanwhile."""

import time

from pynenc import Pynenc
from pynenc.invocation.status import InvocationStatus
from pynenc.runner.thread_runner import ThreadRunner

from truth import gate, report, told

app = Pynenc()


class PausingRunner(ThreadRunner):
    """Pauses an invocation while it waits for others. pynenc's own runners leave it running, or do not own it where they try."""

    def _waiting_for_results(self, running_invocation_id, result_invocation_ids, runner_args=None):
        super()._waiting_for_results(running_invocation_id, result_invocation_ids, runner_args)
        orchestrator, context = self.app.orchestrator, self.runner_context
        orchestrator.set_invocation_status(running_invocation_id, InvocationStatus.PAUSED, context)
        while len(orchestrator.filter_final(result_invocation_ids)) < len(result_invocation_ids):
            time.sleep(0.05)
        # Before pynenc 0.2.4 it goes on as "resumed".
        goes_on = getattr(InvocationStatus, "RESUMED", InvocationStatus.RUNNING)
        orchestrator.set_invocation_status(running_invocation_id, goes_on, context)


@app.task
@told
def leaf(name: str) -> str:
    gate(name)
    return name


@app.task
@told
def parent(name: str) -> str:
    child = leaf(name)
    report("called", child=str(child.invocation_id))
    return child.result


@app.task
@told
def grandparent(name: str) -> str:
    child = parent(name)
    report("called", child=str(child.invocation_id))
    return child.result


@app.task
@told
def of_two(first: str, second: str) -> list[str]:
    children = [leaf(first), leaf(second)]
    for child in children:
        report("called", child=str(child.invocation_id))
    return [child.result for child in children]
