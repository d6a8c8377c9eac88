"""Workflows (pynenc 0.4): one that calls a task and another workflow, whose last step may fail."""

from pynenc import Pynenc

from truth import told

app = Pynenc()


class NoCourier(Exception):
    """An exception of the user's own code."""


@app.task
@told
def reserves(order: str) -> str:
    return order


@app.task
@told
def books(order: str) -> str:
    if order.startswith("bad"):
        raise NoCourier(f"nobody carries {order}")
    return order


@app.workflow
@told
def ships(order: str) -> str:
    return books(order).result


@app.workflow
@told
def sells(order: str) -> str:
    sells.wf.set_data("order", order)
    return reserves(order).result + ships(order).result
