import type { ChannelKind } from '@parley/sdk';

export type Setting = ChannelKind['fields'][number];
type Config = Record<string, unknown>;

const VALUES: Record<Setting['type'], (text: string) => unknown> = {
  text: (text) => text,
  number: Number,
  boolean: (text) => text === 'true',
};

/** What the form sends as `config`: only what somebody filled in. `smtp.host` is a setting of the group `smtp`. */
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
