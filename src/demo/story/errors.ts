/** Exceptions of demo tasks, with the texts that pynenc's serializers store for them (storage-format.md 4.5). */
import { type PythonValue, pythonJson } from "../../pynenc/python-dump.ts";

type Envelope = "jsonpickle" | "json";

interface TaskErrorOptions {
  /** `builtins` unless it is the app's own class. */
  module?: string;
  /** Attributes of the app's own exception classes. */
  state?: Readonly<Record<string, PythonValue>>;
  /** Which serializer the app uses. */
  envelope?: Envelope;
}

/** An exception raised by a task. */
export class TaskError extends Error {
  readonly data: string;

  constructor(
    name: string,
    message: string,
    { module = "builtins", state = {}, envelope = "jsonpickle" }: TaskErrorOptions = {},
  ) {
    super(message);
    this.name = name;
    this.data = envelope === "jsonpickle" ? pickled(module, name, message, state) : enveloped(module, name, message);
  }
}

/** The task requests a retry; when its retries are used up, it fails with pynenc's RetryError. */
export class RetryRequested extends Error {}

function pickled(module: string, name: string, message: string, state: Readonly<Record<string, PythonValue>>): string {
  return pythonJson({ "py/reduce": [{ "py/type": `${module}.${name}` }, { "py/tuple": [message] }, state] });
}

function enveloped(module: string, name: string, message: string): string {
  if (module === "builtins") return pythonJson({ __pynenc__std_py_exc__: { type: name, args: [message], message } });
  return pythonJson({ __pynenc__client_exception__: { module, qualname: name, args: [message], message } });
}
