"""The tasks of `work.py` with the Mongo plugin on FerretDB, which has no `$lookup`: what the plugin joins is read in two steps here."""

from collections.abc import Iterator

from pynenc.invocation.status import InvocationStatus
from pynenc_mongo.orchestrator.mongo_orchestrator import MongoBlockingControl

from work import *  # noqa: F403


def get_blocking_invocations(self: MongoBlockingControl, max_num_invocations: int) -> Iterator[str]:
    edges = self.cols.orchestrator_blocking_edges
    waited = set(edges.distinct("waited_id")) - set(edges.distinct("waiter_id"))
    available = [status.value for status in InvocationStatus.get_available_for_run_statuses()]
    found = self.cols.orchestrator_invocations.find(
        {"invocation_id": {"$in": list(waited)}, "status": {"$in": available}}
    )
    for number, document in enumerate(found):
        if number == max_num_invocations > 0:
            return
        yield document["invocation_id"]


MongoBlockingControl.get_blocking_invocations = get_blocking_invocations
