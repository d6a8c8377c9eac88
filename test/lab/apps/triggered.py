"""Tasks that events, other tasks and the clock start."""

from pynenc import Pynenc
from pynenc.trigger.conditions import EventContext
from pynenc.trigger.trigger_builder import TriggerBuilder

from truth import told

app = Pynenc()


def order_of(event: EventContext) -> dict:
    return {"order": event.payload["order"]}


@app.task
@told
def source(order: str) -> str:
    if order.startswith("bad"):
        raise ValueError(f"{order} cannot be shipped")
    return order


@app.task(triggers=TriggerBuilder().on_event("order.created").with_args_from_event(order_of))
@told
def on_event(order: str) -> str:
    return order


@app.task(triggers=TriggerBuilder().on_event("order.created", {"region": "eu"}).with_args_from_event(order_of))
@told
def on_event_of_eu(order: str) -> str:
    return order


@app.task(triggers=TriggerBuilder().on_status(source, "success"))
@told
def on_status() -> str:
    return "ran"


@app.task(triggers=TriggerBuilder().on_result(source, "ORD-1"))
@told
def on_result() -> str:
    return "ran"


@app.task(triggers=TriggerBuilder().on_exception(source, "ValueError"))
@told
def on_exception() -> str:
    return "ran"


@app.task(triggers=TriggerBuilder().on_event("stock.checked").on_event("payment.received").with_logic("and"))
@told
def on_both() -> str:
    return "ran"


@app.task(triggers=TriggerBuilder().on_cron("* * * * *"))
@told
def on_cron() -> str:
    return "ran"
