"""Tasks under concurrency control: of the task, of equal arguments, of equal keys; dropped or put back; and reused at registration."""

from pynenc import Pynenc
from pynenc.conf.config_task import ConcurrencyControlType

from truth import gate, told

app = Pynenc()


@app.task(running_concurrency=ConcurrencyControlType.TASK)
@told
def one_at_a_time(name: str) -> str:
    """A second one is dropped while one runs."""
    gate(name)
    return name


@app.task(running_concurrency=ConcurrencyControlType.ARGUMENTS)
@told
def one_per_arguments(name: str, size: int) -> str:
    """A second one with equal arguments is dropped."""
    gate(name)
    return name


@app.task(running_concurrency=ConcurrencyControlType.KEYS, key_arguments=("name",))
@told
def one_per_name(name: str, size: int) -> str:
    """A second one with an equal name is dropped."""
    gate(name)
    return name


@app.task(running_concurrency=ConcurrencyControlType.TASK, reroute_on_concurrency_control=True)
@told
def in_turn(name: str) -> str:
    """A second one is put back into the queue until the first has ended."""
    gate(name)
    return name


@app.task(registration_concurrency=ConcurrencyControlType.ARGUMENTS)
@told
def registered_once(name: str) -> str:
    """A second call with equal arguments is the first one, as long as that waits in the queue."""
    gate(name)
    return name


@app.task
@told
def fills(name: str) -> str:
    """Keeps a slot busy."""
    gate(name)
    return name
