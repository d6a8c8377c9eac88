"""Makes the empty SQLite store of an app at the path of PYNENC__SQLITE_DB_PATH, and prints what this release of pynenc defines, as JSON."""

import enum
import importlib
import inspect
import json
import os
import pkgutil

import pynenc
from cistell import ConfigBase, ConfigField
from pynenc import Pynenc
from pynenc.invocation import status

ATTRIBUTES = {
    "final": "is_final",
    "available": "available_for_run",
    "requires_ownership": "requires_ownership",
    "acquires_ownership": "acquires_ownership",
    "releases_ownership": "releases_ownership",
    "overrides_ownership": "overrides_ownership",
}


def plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one) for one in value]
    return value


def config_classes(base: type) -> set[type]:
    direct = base.__subclasses__()
    return set(direct).union(*(config_classes(one) for one in direct))


def settings() -> dict:
    packages = [pynenc, *(importlib.import_module(name) for name in ("pynenc_redis", "pynenc_rabbitmq"))]
    for package in packages:
        for module in pkgutil.iter_modules(importlib.import_module(f"{package.__name__}.conf").__path__):
            importlib.import_module(f"{package.__name__}.conf.{module.name}")
    fields = {
        one.__name__: {
            name: plain(field._default_value) for name, field in vars(one).items() if isinstance(field, ConfigField)
        }
        for one in config_classes(ConfigBase)
    }
    return {name: own for name, own in fields.items() if own}


def statuses() -> dict:
    return {
        "none" if name is None else name.value: {
            "attributes": [word for word, attribute in ATTRIBUTES.items() if getattr(rules, attribute)],
            "next": sorted(one.value for one in rules.allowed_transitions),
        }
        for name, rules in status._CONFIG.definitions.items()
    }


def redis_keys() -> list:
    from pynenc_redis.util.redis_keys import Key

    keys = Key("<app>", "<section>")
    methods = [(name, method) for name, method in inspect.getmembers(keys, callable) if not name.startswith("_")]
    names = [
        # Those without the prefix are shared by all apps.
        method(**{name: f"<{name}>" for name in inspect.signature(method).parameters}).removeprefix(keys.prefix)
        for name, method in methods
        if name != "purge"
    ]
    return sorted(names)


app = Pynenc()
for component in ("orchestrator", "broker", "state_backend", "client_data_store", "trigger"):
    getattr(app, component)
assert os.path.exists(os.environ["PYNENC__SQLITE_DB_PATH"])
print(json.dumps({"settings": settings(), "statuses": statuses(), "redis_keys": redis_keys()}))
