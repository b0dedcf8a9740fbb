/** What texts can use, by the first part of its name. */
export const SCOPE_NAMES = [
  'contact',
  'attributes',
  'chat',
  'message',
  'variables',
  'steps',
  'hours',
  'unsubscribeUrl',
] as const;

/** Names that Liquid itself gives a meaning in every object. */
const OWN_NAMES: ReadonlySet<PropertyKey> = new Set([
  'size',
  'first',
  'last',
  'then',
  'toJSON',
  'toLiquid',
  'valueOf',
]);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isAbsent = (target: object, name: PropertyKey): boolean =>
  typeof name === 'string' &&
  !Object.hasOwn(target, name) &&
  (Array.isArray(target) ? /^\d+$/.test(name) : !OWN_NAMES.has(name));

/**
 * An object whose keys nobody declares: one that is absent is nil, so that `default` and `if` work, at any depth. Everywhere else
 * an unknown name is an error.
 */
function openObject(value: unknown): unknown {
  if (!isObject(value)) return value;
  return new Proxy(value, {
    get: (target, name) => (isAbsent(target, name) ? null : openObject(Reflect.get(target, name))),
    getOwnPropertyDescriptor: (target, name) =>
      isAbsent(target, name)
        ? { value: null, configurable: true, enumerable: false, writable: true }
        : Reflect.getOwnPropertyDescriptor(target, name),
  });
}

type Scope = Readonly<Record<string, unknown>>;

const withOpen = (value: unknown, name: string): unknown =>
  isObject(value) && name in value
    ? { ...value, [name]: openObject((value as Record<string, unknown>)[name]) }
    : value;

/** The scope with open objects where clients store what they like: metadata, attributes, content and answers. */
export function openScope(scope: Scope): Scope {
  const { contact, message, attributes, variables, steps } = scope;
  return {
    ...scope,
    contact: withOpen(contact, 'metadata'),
    message: withOpen(message, 'content'),
    attributes: openObject(attributes),
    variables: openObject(variables),
    steps: isObject(steps)
      ? Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, withOpen(step, 'body')]))
      : steps,
  };
}
