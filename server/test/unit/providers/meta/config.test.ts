import { describe, expect, test } from 'vitest';
import type { ApiError } from '../../../../src/base/errors.ts';
import type { Adapter } from '../../../../src/providers/adapter.ts';
import { adapters } from '../../../../src/providers/adapters.ts';
import { instagram } from '../../../../src/providers/instagram/instagram.ts';
import { whatsappCloud } from '../../../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';

const secrets = { accessToken: 'EAAx', appSecret: 'secret', verifyToken: 'verify' };
const whatsapp = { phoneNumberId: '111', businessAccountId: '222', ...secrets };
const account = { accountId: '1784', ...secrets };

const issuesOf = (adapter: Adapter, given: Record<string, unknown>, stored = {}) => {
  try {
    adapter.configure(given, stored);
    return {};
  } catch (error) {
    return (error as ApiError).invalidParams;
  }
};

test('both are registered adapters', () => {
  // Each hides the secrets of its channels; everything else is the same.
  for (const adapter of [whatsappCloud, instagram]) {
    const { provider, verifySignature, configure } = adapter;
    expect(adapters.get(provider)).toMatchObject({ provider, verifySignature, configure });
  }
});

describe('settings', () => {
  test('are stored as given, and unknown ones are refused', () => {
    expect(issuesOf(whatsappCloud, { ...whatsapp, apId: '5' })).toEqual({
      'config.apId': { key: 'unrecognized_keys', message: 'Not a known key; did you mean "appId"?' },
    });
    const optional = { graphVersion: 'v27.0', baseUrl: 'http://127.0.0.1:4000/graph' };
    expect(whatsappCloud.configure({ ...whatsapp, ...optional, appId: '5' }, {})).toEqual({
      ...whatsapp,
      ...optional,
      appId: '5',
    });
    expect(instagram.configure({ ...account, humanAgent: true }, {})).toEqual({
      ...account,
      humanAgent: true,
    });
  });

  test('that are missing are all reported at once', () => {
    const required = { key: 'invalid_type', message: 'Required' };
    expect(issuesOf(whatsappCloud, {})).toEqual({
      'config.phoneNumberId': required,
      'config.businessAccountId': required,
      'config.accessToken': required,
      'config.appSecret': required,
      'config.verifyToken': required,
    });
    expect(Object.keys(issuesOf(instagram, {}) ?? {}).sort()).toEqual([
      'config.accessToken',
      'config.accountId',
      'config.appSecret',
      'config.verifyToken',
    ]);
  });

  test('that are invalid are all reported at once', () => {
    const given = {
      phoneNumberId: '../me',
      businessAccountId: 222,
      accessToken: 'a b',
      appSecret: '',
      verifyToken: ['x'],
      graphVersion: '26',
      baseUrl: 'ftp://a.example',
      appId: 'x',
    };
    expect(Object.keys(issuesOf(whatsappCloud, given) ?? {}).sort()).toEqual(
      Object.keys(given)
        .map((name) => `config.${name}`)
        .sort(),
    );
    expect(issuesOf(instagram, { ...account, humanAgent: 'yes' })).toEqual({
      'config.humanAgent': { key: 'custom', message: 'Must be true or false' },
    });
  });

  test.each([
    'a.example',
    'https://user:x@a.example',
    'https://a.example?x=1',
    'https://a.example#x',
    'javascript:1',
    '',
    7,
  ])('the base URL %j is refused', (baseUrl) =>
    expect(issuesOf(whatsappCloud, { ...whatsapp, baseUrl })).toHaveProperty(['config.baseUrl']));

  test.each([
    'accessToken',
    'appSecret',
    'verifyToken',
  ])('a line break in %s is refused: it would end a header', (name) => {
    expect(issuesOf(whatsappCloud, { ...whatsapp, [name]: 'a\r\nb: c' })).toHaveProperty([`config.${name}`]);
  });

  test('can be changed one by one, and null removes an optional one', () => {
    const stored = { ...whatsapp, graphVersion: 'v25.0' };
    expect(whatsappCloud.configure({ accessToken: 'EAA2' }, stored)).toEqual({
      ...stored,
      accessToken: 'EAA2',
    });
    expect(whatsappCloud.configure({ graphVersion: null }, stored)).toEqual(whatsapp);
    expect(issuesOf(whatsappCloud, { appSecret: null }, stored)).toHaveProperty(['config.appSecret']);
  });
});
