"""Sends the lab what really happened in a task, and keeps a task waiting until the lab lets it go on."""

import functools
import json
import os
import socket
import time

from pynenc import context

if os.environ.get("LAB_FERRETDB"):
    import on_ferretdb  # noqa: F401

APP_ID = os.environ["PYNENC__APP_ID"]


def report(what: str, **facts: object) -> dict:
    """One fact. Returns the answer of the lab, which `gate` waits for."""
    invocation = context.get_dist_invocation_context(APP_ID)
    message = {
        "what": what,
        "invocation": None if invocation is None else str(invocation.invocation_id),
        "pid": os.getpid(),
        "clock": time.time(),
        **facts,
    }
    host, port = os.environ["LAB_TRUTH"].rsplit(":", 1)
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(json.dumps(message).encode() + b"\n")
        return json.loads(connection.makefile().readline())


def gate(name: str) -> None:
    """Returns once the lab has opened the gate of this name."""
    report("waits", gate=name)


def told(body):
    """A task body that reports its beginning and how it ended."""

    @functools.wraps(body)
    def run(*args, **kwargs):
        report("begins", task=body.__name__, args=list(args), kwargs=kwargs)
        try:
            result = body(*args, **kwargs)
        except BaseException as error:
            report("raises", task=body.__name__, error=type(error).__name__, message=str(error))
            raise
        report("returns", task=body.__name__)
        return result

    return run
