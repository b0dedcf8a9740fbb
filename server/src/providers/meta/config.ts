import { ApiError, type InvalidParams } from '../../base/errors.ts';
import { type ChannelConfig, mergeConfig } from '../adapter.ts';

/** How a setting is written, and what to say to someone who writes it otherwise. */
export interface Setting {
  isRequired: boolean;
  isFine: (value: unknown) => boolean;
  otherwise: string;
}

const matching = (pattern: RegExp, otherwise: string, isRequired = true): Setting => ({
  isRequired,
  isFine: (value) => typeof value === 'string' && pattern.test(value),
  otherwise,
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

/** What every channel of Meta's has. */
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
    isFine: isBaseUrl,
    otherwise: 'Must be an http or https URL without a user, a query or a fragment',
  },
};

/** The settings that a channel keeps: those it has with those given put over them. Every fault is named at once. */
export function configureWith(
  settings: Record<string, Setting>,
  given: ChannelConfig,
  stored: ChannelConfig,
): ChannelConfig {
  const merged = mergeConfig(stored, given);
  const issues: InvalidParams = {};
  const kept: ChannelConfig = {};
  for (const [name, { isRequired, isFine, otherwise }] of Object.entries(settings)) {
    const value = merged[name];
    if (value === undefined) {
      if (isRequired) issues[`config.${name}`] = { key: 'invalid_type', message: 'Required' };
    } else if (isFine(value)) kept[name] = value;
    else issues[`config.${name}`] = { key: 'custom', message: otherwise };
  }
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
  return kept;
}
