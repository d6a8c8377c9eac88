"""Tasks with queues and priorities of their own (pynenc 0.4)."""

from pynenc import Pynenc

from truth import told

app = Pynenc()


@app.task
@told
def plain(order: str) -> str:
    return order


@app.task(priority=10)
@told
def urgent(order: str) -> str:
    return order


@app.task(priority=-10)
@told
def someday(order: str) -> str:
    return order


@app.task(queue="slow")
@told
def slow(order: str) -> str:
    return order
