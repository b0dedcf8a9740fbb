import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/base/config.ts';

describe('PARLEY_RETENTION_DAYS', () => {
  it('is 30 days, or what the operator says', () => {
    expect(readConfig({}).PARLEY_RETENTION_DAYS).toBe(30);
    expect(readConfig({ PARLEY_RETENTION_DAYS: '14' }).PARLEY_RETENTION_DAYS).toBe(14);
    expect(readConfig({ PARLEY_RETENTION_DAYS: '9999' }).PARLEY_RETENTION_DAYS).toBe(9999);
  });

  it.each(['0', '13', '-30', '1e3', '30.5', 'a month', '10000'])('is refused as "%s", by name', (value) => {
    expect(() => readConfig({ PARLEY_RETENTION_DAYS: value })).toThrow(
      `The variable PARLEY_RETENTION_DAYS must be a number of days from 14 to 9999 (it is "${value}").`,
    );
  });
});

describe('PARLEY_SYSTEM_MAIL_CHANNEL', () => {
  const [tenantId, channelId] = [
    '019a82a0-0000-7000-8000-000000000001',
    '019a82a0-0000-7000-8000-000000000020',
  ];

  it('is none, or a tenant and its channel', () => {
    expect(readConfig({}).PARLEY_SYSTEM_MAIL_CHANNEL).toBeUndefined();
    expect(
      readConfig({ PARLEY_SYSTEM_MAIL_CHANNEL: `${tenantId.toUpperCase()}/${channelId}` })
        .PARLEY_SYSTEM_MAIL_CHANNEL,
    ).toEqual({ tenantId, channelId });
  });

  it.each([
    tenantId,
    `${tenantId}/`,
    `${tenantId}/x`,
    `${tenantId}/${channelId}/${channelId}`,
  ])('is refused as "%s", by name', (value) => {
    expect(() => readConfig({ PARLEY_SYSTEM_MAIL_CHANNEL: value })).toThrow(
      /^The variable PARLEY_SYSTEM_MAIL_CHANNEL must be the ids of a tenant/,
    );
  });
});

describe('invalid variables', () => {
  it('are all named at once, each with what to do', () => {
    const env = { PARLEY_ADMIN_TOKEN: 'short', PARLEY_SECRET_KEY: 'also short', PORT: 'http' };
    let message = '';
    try {
      readConfig(env);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n')).toEqual([
      'The variable PORT must be a port from 0 to 65535 (it is "http").',
      'The variable PARLEY_ADMIN_TOKEN must have at least 32 characters; create one with: openssl rand -hex 32.',
      'The variable PARLEY_SECRET_KEY must have at least 32 characters; create one with: openssl rand -hex 32.',
    ]);
  });

  it('never show the value of a secret', () => {
    expect(() => readConfig({ PARLEY_SECRET_KEY: 'hunter2' })).toThrow(/^((?!hunter2).)*$/s);
  });

  it('do not include a secret of 32 characters', () => {
    const key = 'k'.repeat(32);
    expect(readConfig({ PARLEY_SECRET_KEY: key }).PARLEY_SECRET_KEY).toBe(key);
  });
});
