"""A worker that dies in the middle of its orderly shutdown: what it ran is marked as killed, and not put back into the queue."""

import os
import signal

from pynenc import Pynenc
from pynenc.invocation.status import InvocationStatus
from pynenc.runner.thread_runner import ThreadRunner

from truth import gate, told

app = Pynenc()


class DiesBetween(ThreadRunner):
    """As if the machine lost its power between the two steps of a shutdown."""

    def _kill_and_reroute(self, invocation_id, runner_ctx=None):
        orchestrator = self.app.orchestrator
        if orchestrator.get_invocation_status(invocation_id).is_final():
            return
        context = runner_ctx or self.runner_context
        orchestrator.set_invocation_status(invocation_id, InvocationStatus.KILLED, context)
        os.kill(os.getpid(), signal.SIGKILL)


@app.task
@told
def held(name: str) -> str:
    gate(name)
    return name
