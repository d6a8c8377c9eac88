"""Starts many runners, one after the other, as a job per call would: each is new, runs the call that it was started for, and ends in order."""

import sys
import threading
import time

from pynenc.invocation import DistributedInvocation
from pynenc.runner.thread_runner import ThreadRunner

from truth import report
from work import app, ok


def stops(runner: ThreadRunner, invocation: DistributedInvocation) -> None:
    """Stops the runner as a signal does, once its call has ended."""
    while not app.orchestrator.get_invocation_status(invocation.invocation_id).is_final():
        time.sleep(0.002)
    runner.stop_runner_loop()


for number in range(int(sys.argv[1])):
    invocation = ok(f"ORD-{number}")
    runner = ThreadRunner(app)
    watch = threading.Thread(target=stops, args=[runner, invocation])
    watch.start()
    runner.run()
    watch.join()
    report("ended", runner=runner.runner_id, invocation=str(invocation.invocation_id))
