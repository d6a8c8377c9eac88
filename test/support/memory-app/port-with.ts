/** The port with some of its methods replaced. */
export function portWith<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => Reflect.get(Object.hasOwn(methods, name) ? methods : target, name) as unknown,
  });
}
