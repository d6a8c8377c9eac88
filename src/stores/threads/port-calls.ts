/** Calls of port methods as data, so that they can be sent to a thread. */

/** A method of a port with its arguments: one union member per method. */
export type MethodCall<Port> = {
  [Method in keyof Port]: Port[Method] extends (...args: infer Args) => unknown
    ? { method: Method; args: Args }
    : never;
}[keyof Port];

/** A method of one of several ports. */
export type PortCall<Ports> = { [Name in keyof Ports]: { port: Name } & MethodCall<Ports[Name]> }[keyof Ports];

/** The awaited result of such a call. */
export type AnswerTo<Ports, Call> = Call extends { port: infer Name extends keyof Ports; method: infer Method }
  ? Method extends keyof Ports[Name]
    ? Ports[Name][Method] extends (...args: never[]) => infer Answer
      ? Awaited<Answer>
      : never
    : never
  : never;

/**
 * Executes a call; the methods may be synchronous versions of the port's. TypeScript can check that method and arguments match for each member of the
 * union, but not for the union as a whole.
 */
export function answerTo<Port>(
  port: { readonly [Method in keyof Port]: unknown },
  { method, args }: MethodCall<Port>,
): unknown {
  const answer = port[method] as ((...args: unknown[]) => unknown) | undefined;
  if (answer === undefined) throw new Error(`no method ${String(method)}`);
  return answer.apply(port, args);
}

/** Like `answerTo`, for one of several ports. */
export function answerCall<Ports>(
  ports: { readonly [Name in keyof Ports]: { readonly [Method in keyof Ports[Name]]: unknown } },
  { port, ...call }: PortCall<Ports>,
): unknown {
  return answerTo<Ports[keyof Ports]>(ports[port], call as unknown as MethodCall<Ports[keyof Ports]>);
}

/** A port that sends every method as a call. Names come from our own code, never from a request. */
export function portOver<Port extends object>(send: (call: MethodCall<Port>) => Promise<unknown>): Port {
  return new Proxy({} as Port, {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        send({ method, args } as MethodCall<Port>),
  });
}

/** Several ports that use the same `send`. */
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
