"""An app of Rustvello without pynenc: calls one task, runs it, and prints its id and result as JSON. The argument is the path of its file."""

import json
import sys

from rustvello import App

app = App(app_id="lab", backend="sqlite", db_path=sys.argv[1])


@app.task()
def adds(x: int, y: int) -> int:
    return x + y


if __name__ == "__main__":
    app.run(block=False)
    try:
        invocation = adds(1, 2)
        print(json.dumps({"id": str(invocation.id), "result": invocation.result(timeout=100)}))
    finally:
        app.stop()
