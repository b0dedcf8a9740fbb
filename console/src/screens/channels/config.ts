import type { ChannelKind } from '@parley/sdk';

/** A setting of `config`, as a form shows it. */
export interface Setting {
  /** Its path below `config`, such as `smtp.host`. */
  name: string;
  label: string;
  type: 'string' | 'integer' | 'boolean';
  help: string;
  isRequired: boolean;
  isSecret: boolean;
  isAdvanced: boolean;
}
type Config = Record<string, unknown>;

/** What a JSON schema of settings consists of. */
interface Schema {
  type?: Setting['type'] | 'object';
  title?: string;
  description?: string;
  writeOnly?: boolean;
  'x-advanced'?: boolean;
  properties?: Record<string, Schema>;
  required?: readonly string[];
}

/** The settings of a schema, those of its groups included: `smtp.host` is a setting of the group `smtp`. */
export const settingsOf = ({ settings }: Pick<ChannelKind, 'settings'>): Setting[] =>
  flatten(settings as Schema, '');

function flatten({ properties = {}, required = [] }: Schema, prefix: string): Setting[] {
  return Object.entries(properties).flatMap(([name, one]) =>
    one.properties
      ? flatten(one, `${prefix}${name}.`)
      : [
          {
            name: `${prefix}${name}`,
            label: one.title ?? name,
            type: one.type as Setting['type'],
            help: one.description ?? '',
            isRequired: required.includes(name),
            isSecret: one.writeOnly === true,
            isAdvanced: one['x-advanced'] === true,
          },
        ],
  );
}

const VALUES: Record<Setting['type'], (text: string) => unknown> = {
  string: (text) => text,
  integer: Number,
  boolean: (text) => text === 'true',
};

/** What the form sends as `config`: only what somebody filled in. */
export function configOf(settings: readonly Setting[], values: Readonly<Record<string, string>>): Config {
  const config: Config = {};
  for (const { name: path, type } of settings) {
    const text = (values[path] ?? '').trim();
    if (text === '') continue;
    const names = path.split('.');
    const last = names.pop() as string;
    let group = config;
    for (const name of names) {
      group[name] ??= {};
      group = group[name] as Config;
    }
    group[last] = VALUES[type](text);
  }
  return config;
}
