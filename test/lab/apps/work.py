"""Tasks for most scenarios: they end well, fail, wait for the lab, retry, and call each other."""

from pynenc import Pynenc
from pynenc.exceptions import RetryError

from truth import gate, report, told

app = Pynenc()


class CardDeclined(Exception):
    """An exception of the user's own code."""


@app.task
@told
def ok(order: str = "") -> str:
    return order


@app.task
@told
def held(name: str) -> str:
    gate(name)
    return name


@app.task
@told
def fails(message: str = "no such order") -> None:
    raise CardDeclined(message)


@app.task(max_retries=2)
@told
def flaky(order: str, good_at: int) -> int:
    """Asks for a retry until its attempt `good_at`, counted from 1."""
    attempt = flaky.invocation.num_retries + 1
    if attempt < good_at:
        raise RetryError(f"attempt {attempt} of {order}")
    return attempt


@app.task
@told
def charges(order: str) -> None:
    """The innermost of three: fails."""
    raise CardDeclined(f"card of {order} was declined")


@app.task
@told
def ships(order: str) -> None:
    return charges(order).result


@app.task
@told
def sells(order: str) -> None:
    return ships(order).result


@app.task
@told
def waits_for_child(name: str) -> str:
    """Blocks its slot while another task, held by the lab, runs."""
    return held(name).result


@app.task(max_retries=1, retry_for=(CardDeclined,))
@told
def insists(order: str) -> None:
    """Fails, is retried once, and fails again."""
    raise CardDeclined(f"card of {order} was declined")
