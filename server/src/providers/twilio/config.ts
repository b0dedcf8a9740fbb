import { type ChannelConfig, mergeConfig } from '../adapter-channel.ts';
import { readSettings } from '../settings.ts';

export interface TwilioConfig extends ChannelConfig {
  accountSid: string;
  /** Also with an API key: Twilio signs its requests with it. */
  authToken: string;
  apiKeySid?: string;
  apiKeySecret?: string;
  from?: string;
  messagingServiceSid?: string;
  baseUrl: string;
}

const BASE_URL = 'https://api.twilio.com';

const accountSid = {
  pattern: /^AC[0-9a-f]{32}$/i,
  named: 'an account SID: AC and 32 digits or letters a to f',
};
const serviceSid = {
  pattern: /^MG[0-9a-f]{32}$/i,
  named: 'a messaging service SID: MG and 32 digits or letters a to f',
};
const keySid = {
  pattern: /^SK[0-9a-f]{32}$/i,
  named: 'an API key SID: SK and 32 digits or letters a to f',
};
const sender = {
  pattern: /^(\+[0-9]{3,20}|[0-9]{3,8}|[A-Za-z0-9 ]{1,11}|whatsapp:\+[0-9]{3,20}|rcs:[A-Za-z0-9_+-]{1,100})$/,
  named:
    'a number such as +15550001111, a short code, a name of up to 11 letters and digits, whatsapp:+15550001111, or rcs: and the id of an agent',
};
const url = { pattern: /^https?:\/\/[^\s?#]+$/, named: 'a URL that begins with https:// or http://' };

/** The settings that a channel stores. */
export function configureTwilio(given: ChannelConfig, stored: ChannelConfig): TwilioConfig {
  const settings = readSettings(mergeConfig(stored, given));
  const from = settings.text('from', sender);
  const messagingServiceSid = settings.text('messagingServiceSid', serviceSid);
  if (from === undefined && messagingServiceSid === undefined)
    settings.addIssue('from', 'Required, unless there is a messagingServiceSid');
  const apiKeySid = settings.text('apiKeySid', keySid);
  const apiKeySecret = settings.text('apiKeySecret');
  if (apiKeySid === undefined && apiKeySecret !== undefined)
    settings.addIssue('apiKeySid', 'Required with apiKeySecret');
  if (apiKeySid !== undefined && apiKeySecret === undefined)
    settings.addIssue('apiKeySecret', 'Required with apiKeySid');
  const authToken = settings.text('authToken');
  if (authToken === undefined)
    settings.addIssue('authToken', 'Required, also with an API key: Twilio signs its requests with it');
  const config: TwilioConfig = {
    accountSid: settings.requiredText('accountSid', accountSid),
    authToken: authToken ?? '',
    ...(apiKeySid === undefined || apiKeySecret === undefined ? {} : { apiKeySid, apiKeySecret }),
    ...(from === undefined ? {} : { from }),
    ...(messagingServiceSid === undefined ? {} : { messagingServiceSid }),
    baseUrl: (settings.text('baseUrl', url) ?? BASE_URL).replace(/\/+$/, ''),
  };
  settings.throwIfAnyIssue();
  return config;
}

/** By the API key if there is one, which can be replaced without changing the signatures of requests. */
export const basicAuth = ({ accountSid, authToken, apiKeySid, apiKeySecret }: TwilioConfig): string => {
  const [user, password] = apiKeySid === undefined ? [accountSid, authToken] : [apiKeySid, apiKeySecret];
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
};
