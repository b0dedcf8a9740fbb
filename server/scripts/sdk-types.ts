/** Writes TypeScript types for the JSON schemas of an OpenAPI document. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** A name in CamelCase: `chat.status_changed` → `ChatStatusChanged`. */
export const pascalCase = (name: string): string =>
  name.replaceAll(/(^|[._])([a-z])/g, (_, _separator, letter: string) => letter.toUpperCase());

const indent = (text: string): string => text.replaceAll('\n', '\n  ');

/** A comment of one or several lines; empty without a text. */
export function commentOf(text: string | undefined): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

const primitives: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** What a schema is besides texts about it and besides null: two schemas with the same shape are the same type. */
function shapeOf(schema: Schema): string {
  const { description: _, type, ...rest } = schema;
  const types = [type ?? []].flat().filter((name) => name !== 'null');
  return JSON.stringify({ ...rest, type: types }, (key, value) =>
    key === 'description' || key === 'examples' || key === 'title' ? undefined : value,
  );
}

interface TypeOptions {
  /** Whether optional properties may be `undefined`: in what is sent, where it is left out. */
  isInput?: boolean;
}

/** Returns functions that write the types of a document whose schemas have these names. */
export function typeWriter(components: Record<string, Schema>) {
  const namesByShape = new Map<string, string>();
  for (const [name, schema] of Object.entries(components))
    if (schema.properties) namesByShape.set(shapeOf(schema), name);

  function objectType(schema: Schema, options: TypeOptions): string {
    const { properties = {}, required = [], additionalProperties } = schema;
    const lines = Object.entries(properties).map(([name, property]) => {
      const isOptional = !required.includes(name);
      const type = typeOf(property, options) + (isOptional && options.isInput ? ' | undefined' : '');
      return `${commentOf(property.description)}${propertyName(name)}${isOptional ? '?' : ''}: ${type};`;
    });
    const others =
      additionalProperties && typeof additionalProperties === 'object'
        ? `Record<string, ${typeOf(additionalProperties, options)}>`
        : undefined;
    if (lines.length === 0)
      return others ?? (additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>');
    const [line = ''] = lines;
    const isShort = lines.length === 1 && !line.includes('\n');
    const body = isShort ? `{ ${line.slice(0, -1)} }` : `{\n  ${indent(lines.join('\n'))}\n}`;
    return others ? `${body} & ${others}` : body;
  }

  function typeOfOne(type: string, schema: Schema, options: TypeOptions): string {
    if (type === 'object') return namesByShape.get(shapeOf(schema)) ?? objectType(schema, options);
    if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, options));
    if (schema.format === 'binary') return 'Blob';
    return primitives[type] ?? 'unknown';
  }

  const arrayOf = (item: string): string => (/^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`);

  /** The type of a schema as an expression. */
  function typeOf(schema: Schema, options: TypeOptions = {}): string {
    if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    const variants = schema.oneOf ?? schema.anyOf;
    const written = variants
      ? variants.map((variant) => typeOf(variant, options))
      : [schema.type ?? []].flat().map((type) => typeOfOne(type, schema, options));
    return [...new Set(written)].join(' | ') || 'unknown';
  }

  /** A declaration: an interface where the schema is an object, else a type. */
  function declarationOf(name: string, schema: Schema, options: TypeOptions = {}): string {
    const isPlain = schema.type === 'object' && schema.properties !== undefined;
    const type = isPlain ? objectType(schema, options) : typeOf(schema, options);
    const text =
      isPlain && !type.includes('} & Record')
        ? `export interface ${name} ${type}\n`
        : `export type ${name} = ${type};\n`;
    return `${commentOf(schema.description)}${text}`;
  }

  return { typeOf, declarationOf };
}
