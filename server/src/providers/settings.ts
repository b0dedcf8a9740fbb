import { ApiError, type InvalidParams } from '../base/errors.ts';
import type { ChannelConfig } from './adapter.ts';

/** Settings that are taken one by one: each is judged, what is wrong is gathered, and what nobody asks for is dropped. */
export interface Settings {
  text(name: string, rule?: { pattern: RegExp; named: string }): string | undefined;
  requiredText(name: string, rule?: { pattern: RegExp; named: string }): string;
  flag(name: string): boolean | undefined;
  port(name: string): number;
  /** The settings below a name, or undefined where there are none. */
  group(name: string): Settings | undefined;
  issue(name: string, message: string): void;
  /** Refuses everything that was wrong, by its path. */
  refuse(): void;
}

const LONGEST = 1000;

export function settingsOf(config: ChannelConfig, path = 'config', issues: InvalidParams = {}): Settings {
  const issue = (name: string, message: string): void => {
    issues[`${path}.${name}`] = { key: 'custom', message };
  };
  const settings: Settings = {
    issue,
    text(name, rule) {
      const value = config[name];
      if (value === undefined) return undefined;
      if (typeof value !== 'string' || value === '' || value.length > LONGEST || /[\0\r\n]/.test(value))
        issue(name, `Must be a text of 1 to ${LONGEST} characters on one line`);
      else if (rule && !rule.pattern.test(value)) issue(name, `Must be ${rule.named}`);
      return String(value);
    },
    requiredText(name, rule) {
      if (config[name] === undefined) issue(name, 'Required');
      return settings.text(name, rule) ?? '';
    },
    flag(name) {
      const value = config[name];
      if (value !== undefined && typeof value !== 'boolean') issue(name, 'Must be true or false');
      return value as boolean | undefined;
    },
    port(name) {
      const value = config[name];
      const isPort = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65535;
      if (!isPort) issue(name, value === undefined ? 'Required' : 'Must be a port from 1 to 65535');
      return Number(value);
    },
    group(name) {
      const value = config[name];
      if (value === undefined) return undefined;
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return settingsOf(value as ChannelConfig, `${path}.${name}`, issues);
      issue(name, 'Must be an object');
      return undefined;
    },
    refuse() {
      if (Object.keys(issues).length > 0)
        throw new ApiError('invalid_body_params', { invalidParams: issues });
    },
  };
  return settings;
}
