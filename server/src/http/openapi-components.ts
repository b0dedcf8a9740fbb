import { DOCUMENTED } from './schema.ts';

export type Json = Record<string, unknown>;

/** Moves schemas with a title to the components of the document and replaces them by a reference. */
export function hoist(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED]: shown } = schema as { [DOCUMENTED]?: unknown };
  if (shown !== undefined) return hoist(shown, components);
  const walked = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]),
  );
  const { title, type } = walked;
  // A nullable variant of a schema with a title is another schema and stays.
  if (typeof title !== 'string' || Array.isArray(type)) return walked;
  const { title: _, ...component } = walked;
  components[title] = component;
  return { $ref: `#/components/schemas/${title}` };
}
