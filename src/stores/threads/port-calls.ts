/** Calls of a port's methods as data, so that they can be sent to a thread and answered there. */

/** A method of a port with its arguments: one member for each method. */
export type MethodCall<Port> = {
  [Method in keyof Port]: Port[Method] extends (...args: infer Args) => unknown
    ? { method: Method; args: Args }
    : never;
}[keyof Port];

/** A method of one of several ports. */
export type PortCall<Ports> = { [Name in keyof Ports]: { port: Name } & MethodCall<Ports[Name]> }[keyof Ports];

/** What such a call answers, without the promise. */
export type AnswerTo<Ports, Call> = Call extends { port: infer Name extends keyof Ports; method: infer Method }
  ? Method extends keyof Ports[Name]
    ? Ports[Name][Method] extends (...args: never[]) => infer Answer
      ? Awaited<Answer>
      : never
    : never
  : never;

/**
 * Answers a call; the methods may answer at once although those of the port promise. A method fits its own arguments, which TypeScript can tell
 * of each member of the union but not of the union.
 */
export function answerTo<Port>(
  port: { readonly [Method in keyof Port]: unknown },
  { method, args }: MethodCall<Port>,
): unknown {
  const answer = port[method] as ((...args: unknown[]) => unknown) | undefined;
  if (answer === undefined) throw new Error(`no method ${String(method)}`);
  return answer.apply(port, args);
}

/** Answers a call of one of several ports, as `answerTo`. */
export function answerCall<Ports>(
  ports: { readonly [Name in keyof Ports]: { readonly [Method in keyof Ports[Name]]: unknown } },
  { port, ...call }: PortCall<Ports>,
): unknown {
  return answerTo<Ports[keyof Ports]>(ports[port], call as unknown as MethodCall<Ports[keyof Ports]>);
}

/** A port whose every method is sent as a call. Names come from our own code, never from a request. */
export function portOver<Port extends object>(send: (call: MethodCall<Port>) => Promise<unknown>): Port {
  return new Proxy({} as Port, {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        send({ method, args } as MethodCall<Port>),
  });
}

/** Several ports over one way to send calls. */
export function portsOver<Ports extends object>(
  names: readonly (keyof Ports)[],
  send: (call: PortCall<Ports>) => Promise<unknown>,
): Ports {
  const ports = names.map((name) => [
    name,
    portOver((call: object) => send({ port: name, ...call } as PortCall<Ports>)),
  ]);
  return Object.fromEntries(ports) as Ports;
}
