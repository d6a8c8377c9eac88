"""Tasks that take as long as the lab says. Nobody waits for that: they move the clock of their host on (`host/sitecustomize.py`)."""

import os

from pynenc import Pynenc

from truth import gate, told

app = Pynenc()


def takes(seconds: float) -> None:
    path = os.environ["LAB_CLOCK"]
    with open(path) as file:
        ahead = float(file.read()) + seconds
    with open(f"{path}.next", "w") as file:
        file.write(str(ahead))
    os.replace(f"{path}.next", path)


def lasts(how_long: float | str) -> None:
    """So many seconds, or until the lab opens the gate of this name."""
    if isinstance(how_long, str):
        gate(how_long)
    else:
        takes(how_long)


@app.task
@told
def bakes(how_long: float | str) -> None:
    lasts(how_long)


@app.task
@told
def freezes(how_long: float | str) -> None:
    lasts(how_long)


@app.task
@told
def slices(how_long: float | str) -> None:
    lasts(how_long)


@app.task
@told
def sells(fails: bool) -> None:
    if fails:
        raise ValueError("sold out")


@app.task
@told
def delivers(fails: bool) -> None:
    if fails:
        raise ValueError("lost on the way")
