"""An app that has every task: pynmon imports the tasks of an app to show its invocations, and generated data has tasks of no app."""

import importlib.abc
import importlib.machinery
import os
import sys
import types

from pynenc import Pynenc

app = Pynenc()
MODULES = os.environ["LAB_TASK_MODULES"].split(",")


class AnyTask(types.ModuleType):
    """Makes a task of each name that is asked for."""

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)

        def body(*args, **kwargs):
            return None

        body.__name__ = body.__qualname__ = name
        body.__module__ = self.__name__
        task = app.task(body)
        setattr(self, name, task)
        return task


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if any(name == fullname or name.startswith(f"{fullname}.") for name in MODULES):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return AnyTask(spec.name)

    def exec_module(self, module):
        module.__path__ = []


sys.meta_path.insert(0, Finder())
