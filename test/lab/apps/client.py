"""Calls tasks of an app for the lab: one JSON request per line on stdin, one JSON answer per line on stdout."""

import importlib
import json
import sys

from pynenc.identifiers.task_id import TaskId
from pynenc.invocation import InvocationStatus

module = importlib.import_module(sys.argv[1])
app = module.app


def answer(request: dict) -> object:
    match request["do"]:
        case "call":
            invocation = getattr(module, request["task"])(**request["args"])
            return str(invocation.invocation_id)
        case "status":
            return app.orchestrator.get_invocation_status(request["id"]).name.lower()
        case "succeeded":
            task_id = TaskId.from_key(request["task"])
            return app.orchestrator.count_invocations(task_id, [InvocationStatus.SUCCESS])
        case "emit":
            return app.trigger.emit_event(request["code"], request["payload"])
        case "purge":
            target = app if request["target"] == "all" else getattr(app, request["target"])
            return target.purge()
        case "drop_message":
            return str(app.broker.retrieve_invocation())
    raise ValueError(request["do"])


for line in sys.stdin:
    try:
        print(json.dumps({"answer": answer(json.loads(line))}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
