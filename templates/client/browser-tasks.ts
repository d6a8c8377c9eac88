/** Work in pieces: in between the browser shows what there is and handles pointer and key events. */

/** By a message, since timers that follow each other wait for some milliseconds. */
export function nextTask(): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve(null);
    };
    port2.postMessage(null);
  });
}
