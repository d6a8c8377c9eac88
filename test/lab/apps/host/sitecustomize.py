"""Makes a process one of another host, with a clock of its own. Python imports this before anything else, so pynenc only knows these."""

import datetime
import os
import socket
import time

if name := os.environ.get("LAB_HOST"):
    socket.gethostname = lambda: name

if path := os.environ.get("LAB_CLOCK"):
    right = time.time
    real = datetime.datetime

    def wrong() -> float:
        """The right time and the seconds in the file, which the lab may change at any moment."""
        with open(path) as file:
            return right() + float(file.read())

    class Like(type):
        """What C code makes has the original class."""

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, real)

    class Shifted(real, metaclass=Like):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Shifted":
            return cls.fromtimestamp(wrong(), tz)

        @classmethod
        def utcnow(cls) -> "Shifted":
            return cls.now(datetime.UTC).replace(tzinfo=None)

    Shifted.__module__, Shifted.__name__, Shifted.__qualname__ = "datetime", "datetime", "datetime"
    time.time = wrong
    datetime.datetime = Shifted
