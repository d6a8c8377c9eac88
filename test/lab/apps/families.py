"""An order that reserves and pays, one after the other: a failed family has members that succeeded."""

from pynenc import Pynenc

from truth import told

app = Pynenc()


class CardDeclined(Exception):
    """An exception of the user's own code."""


@app.task
@told
def reserves(order: str) -> str:
    return order


@app.task
@told
def pays(order: str) -> str:
    if order.startswith("bad"):
        raise CardDeclined(f"card of {order} was declined")
    return order


@app.task
@told
def buys(order: str) -> str:
    return reserves(order).result + pays(order).result
