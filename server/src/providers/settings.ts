import { collectIssues, type Issues } from '../base/issues.ts';
import { unknownKey } from '../base/nearest.ts';
import type { ChannelConfig } from './adapter-channel.ts';

interface TextRule {
  pattern: RegExp;
  named: string;
  /** 1000 by default. */
  maxLength?: number;
}

/** Reads settings one by one and validates each. Settings that nobody reads are unknown. */
export interface Settings {
  text(name: string, rule?: TextRule): string | undefined;
  requiredText(name: string, rule?: TextRule): string;
  flag(name: string): boolean | undefined;
  port(name: string): number;
  /** The settings below a name; undefined if there are none. */
  group(name: string): Settings | undefined;
  addIssue(name: string, message: string): void;
  /** Throws one error with all issues, and one for each unknown setting. */
  throwIfAnyIssue(): void;
  /** Adds an issue for each setting that was not read, also in groups. */
  addUnknown(): void;
}

const MAX_LENGTH = 1000;

export function readSettings(config: ChannelConfig, issues: Issues = collectIssues().at('config')): Settings {
  const addIssue = (name: string, message: string): void => issues.add(name, 'custom', message);
  const known = new Set<string>();
  const groups: Settings[] = [];
  const readValue = (name: string): unknown => {
    known.add(name);
    return config[name];
  };
  const settings: Settings = {
    addIssue,
    text(name, rule) {
      const value = readValue(name);
      if (value === undefined) return undefined;
      const { maxLength = MAX_LENGTH } = rule ?? {};
      if (typeof value !== 'string' || value === '' || value.length > maxLength || /[\0\r\n]/.test(value))
        addIssue(name, `Must be a text of 1 to ${maxLength} characters on one line`);
      else if (rule && !rule.pattern.test(value)) addIssue(name, `Must be ${rule.named}`);
      return String(value);
    },
    requiredText(name, rule) {
      if (readValue(name) === undefined) addIssue(name, 'Required');
      return settings.text(name, rule) ?? '';
    },
    flag(name) {
      const value = readValue(name);
      if (value !== undefined && typeof value !== 'boolean') addIssue(name, 'Must be true or false');
      return value as boolean | undefined;
    },
    port(name) {
      const value = readValue(name);
      const isPort = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65535;
      if (!isPort) addIssue(name, value === undefined ? 'Required' : 'Must be a port from 1 to 65535');
      return Number(value);
    },
    group(name) {
      const value = readValue(name);
      if (value === undefined) return undefined;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        const group = readSettings(value as ChannelConfig, issues.at(name));
        groups.push(group);
        return group;
      }
      addIssue(name, 'Must be an object');
      return undefined;
    },
    addUnknown() {
      for (const group of groups) group.addUnknown();
      for (const name of Object.keys(config))
        if (!known.has(name)) issues.add(name, 'unrecognized_keys', unknownKey(name, known));
    },
    throwIfAnyIssue() {
      settings.addUnknown();
      issues.throwIfAny();
    },
  };
  return settings;
}
