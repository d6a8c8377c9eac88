/** A stored exception as pynenc's JSON serializer writes those of Python's own classes. */
export function storedError(error_name: string, message: string): string {
  const error_data = JSON.stringify({ __pynenc__std_py_exc__: { type: error_name, args: [message], message } });
  return JSON.stringify({ error_name, pynenc_error: false, error_data });
}
