"""What pynenc-mongo needs to run on FerretDB, which has no `$lookup`: what the plugin joins is read in two steps here."""

from collections.abc import Iterator

from pynenc.identifiers.invocation_id import InvocationId
from pynenc.invocation.status import InvocationStatus
from pynenc_mongo.orchestrator.mongo_orchestrator import MongoBlockingControl, MongoOrchestrator


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


def get_existing_invocations(
    self: MongoOrchestrator,
    task: object,
    key_serialized_arguments: dict[str, str] | None = None,
    statuses: list[InvocationStatus] | None = None,
) -> Iterator[InvocationId]:
    query: dict = {"task_id_key": task.task_id.key}
    if statuses:
        query["status"] = {"$in": [status.value for status in statuses]}
    found = [document["invocation_id"] for document in self.cols.orchestrator_invocations.find(query)]
    for key, value in (key_serialized_arguments or {}).items():
        having = {"invocation_id": {"$in": found}, "arg_key": key, "arg_value": value}
        found = [document["invocation_id"] for document in self.cols.orchestrator_invocation_args.find(having)]
    yield from map(InvocationId, found)


MongoBlockingControl.get_blocking_invocations = get_blocking_invocations
MongoOrchestrator.get_existing_invocations = get_existing_invocations
