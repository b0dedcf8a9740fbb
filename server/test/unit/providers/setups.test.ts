import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/base/errors.ts';
import type { ChannelConfig } from '../../../src/providers/adapter-channel.ts';
import { adapters } from '../../../src/providers/adapters.ts';
import { type SetupField, setups } from '../../../src/providers/setups.ts';

/** The settings with a value at each path. */
function configOf(fields: readonly SetupField[]): ChannelConfig {
  const config: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const value = type === 'number' ? 587 : type === 'boolean' ? true : 'x';
    const [first = '', second] = name.split('.');
    if (second === undefined) config[first] = value;
    else config[first] = { ...(config[first] as object), [second]: value };
  }
  return config;
}
const issuesOf = (configure: () => unknown): Record<string, { key: string; message: string }> => {
  try {
    configure();
    return {};
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.invalidParams ?? {};
  }
};

describe.each([...adapters.values()])('the form of $provider', (adapter) => {
  const { fields = [], steps } = setups[adapter.provider] ?? {};

  it('has steps, and no field twice', () => {
    expect(steps?.length).toBeGreaterThan(0);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  });

  it('has only settings that the adapter knows', () => {
    const issues = issuesOf(() => adapter.configure(configOf(fields), {}));
    const unknown = Object.entries(issues).filter(([, { key }]) => key === 'unrecognized_keys');
    expect(unknown).toEqual([]);
  });

  it('requires what the adapter requires', () => {
    const missing = Object.entries(issuesOf(() => adapter.configure({}, {}))).map(([path]) =>
      path.replace(/^config\./, ''),
    );
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    // A group is required as a whole; of two settings one may be enough.
    for (const name of required)
      expect(missing.some((path) => path === name || name.startsWith(`${path}.`))).toBe(true);
    const either = new Set(['from']);
    for (const path of missing)
      expect(either.has(path) || required.some((name) => name === path || name.startsWith(`${path}.`))).toBe(
        true,
      );
  });

  it('marks secrets', () => {
    for (const { name, isSecret } of fields)
      if (/(token|secret|password)$/i.test(name)) expect([name, isSecret]).toEqual([name, true]);
  });
});
