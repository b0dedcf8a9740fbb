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
  fault(name: string, message: string): void;
  /** Refuses everything that was wrong, by its path. */
  refuse(): void;
}

const LONGEST = 1000;

export function settingsOf(config: ChannelConfig, path = 'config', faults: InvalidParams = {}): Settings {
  const fault = (name: string, message: string): void => {
    faults[`${path}.${name}`] = { key: 'custom', message };
  };
  const settings: Settings = {
    fault,
    text(name, rule) {
      const value = config[name];
      if (value === undefined) return undefined;
      if (typeof value !== 'string' || value === '' || value.length > LONGEST || /[\0\r\n]/.test(value))
        fault(name, `Must be a text of 1 to ${LONGEST} characters on one line`);
      else if (rule && !rule.pattern.test(value)) fault(name, `Must be ${rule.named}`);
      return String(value);
    },
    requiredText(name, rule) {
      if (config[name] === undefined) fault(name, 'Required');
      return settings.text(name, rule) ?? '';
    },
    flag(name) {
      const value = config[name];
      if (value !== undefined && typeof value !== 'boolean') fault(name, 'Must be true or false');
      return value as boolean | undefined;
    },
    port(name) {
      const value = config[name];
      const isPort = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65535;
      if (!isPort) fault(name, value === undefined ? 'Required' : 'Must be a port from 1 to 65535');
      return Number(value);
    },
    group(name) {
      const value = config[name];
      if (value === undefined) return undefined;
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return settingsOf(value as ChannelConfig, `${path}.${name}`, faults);
      fault(name, 'Must be an object');
      return undefined;
    },
    refuse() {
      if (Object.keys(faults).length > 0)
        throw new ApiError('invalid_body_params', { invalidParams: faults });
    },
  };
  return settings;
}
