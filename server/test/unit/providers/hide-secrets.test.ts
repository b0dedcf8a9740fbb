import { expect, it } from 'vitest';
import type { Adapter } from '../../../src/providers/adapter.ts';
import type { AdapterChannel } from '../../../src/providers/adapter-channel.ts';
import type { AdapterContext } from '../../../src/providers/adapter-context.ts';
import { hideSecrets } from '../../../src/providers/hide-secrets.ts';
import type { OutgoingMessage } from '../../../src/providers/outgoing-message.ts';
import { smtp } from '../../../src/providers/smtp/smtp.ts';
import { VendorFailure } from '../../../src/providers/vendor-failure.ts';

const password = 'pässword +/&"1';
const channel = (config: object): AdapterChannel => ({
  id: 'c',
  tenantId: 't',
  kind: 'email',
  address: 'help@shop.test',
  config: { smtp: { user: 'ada', password }, ...config },
});
const context = {
  accessToken: async (_channel, { fetch }) => ({
    token: (await fetch('refresh-later')).accessToken,
    isNew: true,
  }),
} as Partial<AdapterContext> as AdapterContext;

/** The relay of a channel says something, and this is what is left of it. */
async function shown(said: string, config: object = {}): Promise<string> {
  const adapter = hideSecrets({
    ...smtp,
    send: async () => ({ ok: false, error: { code: '535', message: said }, retry: 'reauth' }),
    check: async () => [{ message: said }],
    fetchMedia: async () => {
      throw new VendorFailure('no', said);
    },
  } satisfies Adapter);
  const sent = await adapter.send({} as OutgoingMessage, channel(config), context);
  const [problem] = await adapter.check(channel(config), context);
  const failure = (await adapter.fetchMedia?.({}, channel(config), context).catch((error) => error)) as Error;
  const texts = [sent.ok ? '' : sent.error.message, problem?.message, failure.message];
  expect(new Set(texts).size).toBe(1);
  if (!said.includes(texts[0] as string)) expect(failure.stack).not.toContain(said);
  return texts[0] as string;
}

it.each([
  ['as it is', password],
  ['in a URL', encodeURIComponent(password)],
  ['in a form', new URLSearchParams({ a: password }).toString().slice(2)],
  ['in JSON', JSON.stringify(password).slice(1, -1)],
  ['as bytes', Buffer.from(password).toString('latin1')],
])('L1: a secret that the vendor repeats %s is removed', async (_, form) => {
  expect(await shown(`no: ${form}!`)).toBe('no: …!');
});

it.each(['', 'a', 'ab', '\0ada\0', 'user:'])('L1: a login that begins with %j is removed', async (before) => {
  for (const after of ['', 'x', '\x01\x01']) {
    const login = Buffer.from(`${before}${password}${after}`).toString('base64');
    const text = await shown(`no: ${login}`);
    expect(text).toContain('…');
    // What is left has too few characters to spell more than two of the secret.
    const left = Buffer.from(text.slice(4).split('…').join(''), 'base64').toString('latin1');
    expect(left.length).toBeLessThanOrEqual(before.length + after.length + 3);
  }
});

it('L1: access and refresh tokens that were fetched for the call are removed', async () => {
  const adapter = hideSecrets({
    ...smtp,
    async send(_message, of, { accessToken }) {
      const { token } = await accessToken(of, {
        refreshToken: 'refresh-first',
        settings: '',
        fetch: async () => ({ accessToken: 'access-token', lifeMs: 1 }),
      });
      throw new Error(`no: ${token} refresh-later`, { cause: new Error(token) });
    },
  });
  const error = await adapter.send({} as OutgoingMessage, channel({}), context).catch((one) => one);
  expect([error.message, error.cause.message]).toEqual(['no: … …', '…']);
});

const short = (secret: string) => ({ smtp: { user: 'ada', password: secret } });

it.each([
  'a',
  'abc',
  '12345',
  'p$1',
  '.*',
  '(?=',
  '\\d',
  'ä',
  'x y',
  '"',
  '-',
  '😀',
  '=',
  '/+',
  '\ud800',
])('L1: a secret of a few characters is removed where it stands alone: %j', async (secret) => {
  for (const [before, after] of [
    ['no: ', '!'],
    ['535 ', ''],
    ['"pass": "', '"}'],
    ['user=ada&pass=', '&x=1'],
    ['ada/', ' refused'],
  ] as const) {
    expect(await shown(`${before}${secret}${after}`, short(secret))).not.toContain(
      `${before}${secret}${after}`,
    );
    const escaped = encodeURIComponent(secret.toWellFormed());
    expect(await shown(`${before}${escaped}${after}`, short(secret))).not.toContain(
      `${before}${escaped}${after}`,
    );
  }
});

it.each([
  '',
  '\0ada\0',
  'ada:',
  'ada\0ada\0',
])('L1: a login with a secret of a few characters is removed: %j', async (before) => {
  for (const secret of ['a', 'abc', '12345', 'p$1']) {
    const login = Buffer.from(`${before}${secret}`).toString('base64');
    expect(await shown(`535 no: AUTH PLAIN ${login} refused`, short(secret))).toBe(
      '535 no: AUTH PLAIN … refused',
    );
  }
});

it('words are left alone: those of settings that are no secrets, and those with a secret of a few characters in them', async () => {
  expect(await shown('ada is not here', { from: 'not here' })).toBe('ada is not here');
  expect(await shown('nothing noted: no password', short('no'))).toBe('nothing noted: … password');
  expect(await shown('no password', short(''))).toBe('no password');
  expect(await shown('no password', { smtp: undefined })).toBe('no password');
});
