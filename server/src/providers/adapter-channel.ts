import type { ChannelKind } from './kinds.ts';

/** The settings of a channel: the client's, and those of the adapter itself. Stored encrypted. */
export type ChannelConfig = Record<string, unknown>;

/** A channel as its adapter sees it. */
export interface AdapterChannel {
  id: string;
  tenantId: string;
  kind: ChannelKind;
  address: string;
  config: ChannelConfig;
}

/** A problem of a channel. `path` is the setting that causes it, if there is one. */
export interface ChannelProblem {
  path?: string;
  message: string;
}

const isPlainObject = (value: unknown): value is ChannelConfig =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Merges the given settings into the stored ones, at any depth, so that one credential can be changed without knowing
 * the others; null removes a setting.
 */
export function mergeConfig(stored: ChannelConfig, given: ChannelConfig): ChannelConfig {
  const merged = new Map(Object.entries(stored));
  for (const [name, value] of Object.entries(given))
    if (value === null) merged.delete(name);
    else if (!isPlainObject(value)) merged.set(name, value);
    else {
      const before = merged.get(name);
      merged.set(name, mergeConfig(isPlainObject(before) ? before : {}, value));
    }
  return Object.fromEntries(merged);
}
