import { type ChannelConfig, mergeConfig } from '../adapter.ts';
import { readSettings } from '../settings.ts';

export interface TwilioConfig extends ChannelConfig {
  accountSid: string;
  authToken: string;
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
const sender = {
  pattern: /^(\+[0-9]{3,20}|[0-9]{3,8}|[A-Za-z0-9 ]{1,11})$/,
  named: 'a number such as +15550001111, a short code, or a name of up to 11 letters and digits',
};
const url = { pattern: /^https?:\/\/[^\s?#]+$/, named: 'a URL that begins with https:// or http://' };

/** The settings that a channel stores. */
export function configureTwilio(given: ChannelConfig, stored: ChannelConfig): TwilioConfig {
  const settings = readSettings(mergeConfig(stored, given));
  const from = settings.text('from', sender);
  const messagingServiceSid = settings.text('messagingServiceSid', serviceSid);
  if (from === undefined && messagingServiceSid === undefined)
    settings.addIssue('from', 'Required, unless there is a messagingServiceSid');
  const config: TwilioConfig = {
    accountSid: settings.requiredText('accountSid', accountSid),
    authToken: settings.requiredText('authToken'),
    ...(from === undefined ? {} : { from }),
    ...(messagingServiceSid === undefined ? {} : { messagingServiceSid }),
    baseUrl: (settings.text('baseUrl', url) ?? BASE_URL).replace(/\/+$/, ''),
  };
  settings.throwIfAnyIssue();
  return config;
}

export const basicAuth = ({ accountSid, authToken }: TwilioConfig): string =>
  `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
