"""Takes any value as it is: markup, control characters, very long texts, exceptions without a message."""

from pynenc import Pynenc

from truth import report, told

app = Pynenc()


class CardDeclined(Exception):
    """An exception of the user's own code."""


@app.task
@told
def echo(value: str) -> str:
    return value


@app.task
@told
def fails(message: str | None = None) -> None:
    raise CardDeclined() if message is None else CardDeclined(message)


@app.task
def swallows(value: str) -> str:
    """Reports the length alone: the value is too long for the story of the lab."""
    report("begins", task="swallows", length=len(value))
    return value
