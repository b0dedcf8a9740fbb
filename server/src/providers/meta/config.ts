import { collectIssues } from '../../base/issues.ts';
import { unknownKey } from '../../base/nearest.ts';
import { type ChannelConfig, mergeConfig } from '../adapter-channel.ts';

export interface Setting {
  isRequired: boolean;
  isValid: (value: unknown) => boolean;
  /** The message of the issue if it is not valid. */
  rule: string;
}

const matching = (pattern: RegExp, rule: string, isRequired = true): Setting => ({
  isRequired,
  isValid: (value) => typeof value === 'string' && pattern.test(value),
  rule,
});

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return (
    ['https:', 'http:'].includes(protocol) && [username, password, search, hash].every((part) => part === '')
  );
}

export const vendorId = (named: string, isRequired = true): Setting =>
  matching(/^[0-9]{1,32}$/, `Must be ${named}: digits only`, isRequired);

/** The settings of all channels of Meta. */
export const metaSettings: Record<string, Setting> = {
  accessToken: matching(
    /^[\x21-\x7e]{1,4096}$/,
    'Must be an access token: visible ASCII characters without blanks',
  ),
  appSecret: matching(
    /^[\x21-\x7e]{1,256}$/,
    "Must be the app's secret: visible ASCII characters without blanks",
  ),
  verifyToken: matching(
    /^[\x21-\x7e]{1,256}$/,
    'Must be visible ASCII characters without blanks, at most 256',
  ),
  graphVersion: matching(/^v[1-9][0-9]{0,2}\.[0-9]{1,2}$/, 'Must be a version such as v26.0', false),
  baseUrl: {
    isRequired: false,
    isValid: isBaseUrl,
    rule: 'Must be an http or https URL without a user, a query or a fragment',
  },
};

/** The settings that a channel stores: the given ones merged into the stored ones. Throws one error with all issues. */
export function configureWith(
  settings: Record<string, Setting>,
  given: ChannelConfig,
  stored: ChannelConfig,
): ChannelConfig {
  const merged = mergeConfig(stored, given);
  const issues = collectIssues().at('config');
  const config: ChannelConfig = {};
  for (const [name, { isRequired, isValid, rule }] of Object.entries(settings)) {
    const value = merged[name];
    if (value === undefined) {
      if (isRequired) issues.add(name, 'invalid_type', 'Required');
    } else if (isValid(value)) config[name] = value;
    else issues.add(name, 'custom', rule);
  }
  for (const name of Object.keys(merged))
    if (!Object.hasOwn(settings, name))
      issues.add(name, 'unrecognized_keys', unknownKey(name, Object.keys(settings)));
  issues.throwIfAny();
  return config;
}
