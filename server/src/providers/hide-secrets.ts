import type { Adapter } from './adapter.ts';
import type { AdapterChannel } from './adapter-channel.ts';
import type { AdapterContext } from './adapter-context.ts';
import { setups } from './setups.ts';

type Hide = (text: string) => string;
/** All calls to a vendor end with these two. */
type CallArgs = [...unknown[], AdapterChannel, AdapterContext];

/** A shorter one would tear ordinary words apart: it is hidden where it stands alone. */
const MIN_CHARACTERS = 6;

/**
 * The same adapter, without the channel's secrets in what its vendor says. Vendors repeat what they were sent: Meta quotes an
 * invalid token, relays the line with the login. Their words are stored, shown to everybody who sees the channel, and logged.
 */
export function hideSecrets(adapter: Adapter): Adapter {
  const { fetchMedia, reconcile, signal, fetchProfile, openMailbox, templates } = adapter;
  const wrap = <A extends CallArgs, R>(
    call: (...args: A) => Promise<R>,
    show: (result: R, hide: Hide) => R = (result) => result,
  ) => wrapCall(adapter.provider, call, show);
  return {
    ...adapter,
    check: wrap(adapter.check, (problems, hide) =>
      problems.map((problem) => ({ ...problem, message: hide(problem.message) })),
    ),
    send: wrap(adapter.send, (result, hide) =>
      result.ok
        ? result
        : { ...result, error: { code: hide(result.error.code), message: hide(result.error.message) } },
    ),
    ...(fetchMedia && { fetchMedia: wrap(fetchMedia) }),
    ...(reconcile && { reconcile: wrap(reconcile) }),
    ...(signal && { signal: wrap(signal) }),
    ...(fetchProfile && { fetchProfile: wrap(fetchProfile) }),
    ...(openMailbox && {
      openMailbox: wrap(openMailbox, (mailbox, hide) => ({
        ...mailbox,
        read: (cursor, options) =>
          mailbox.read(cursor, options).then(
            ({ refused, leftOut, ...received }) => ({
              ...received,
              ...(refused && { refused: { ...refused, reason: hide(refused.reason) } }),
              ...(leftOut && { leftOut: { ...leftOut, reason: hide(leftOut.reason) } }),
            }),
            (error) => throwHidden(error, hide),
          ),
      })),
    }),
    ...(templates && {
      templates: {
        list: wrap(templates.list),
        create: wrap(templates.create),
        remove: wrap(templates.remove),
        ...(templates.update && { update: wrap(templates.update) }),
      },
    }),
  };
}

function wrapCall<A extends CallArgs, R>(
  provider: string,
  call: (...args: A) => Promise<R>,
  show: (result: R, hide: Hide) => R,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const [channel, context] = args.slice(-2) as [AdapterChannel, AdapterContext];
    const tokens: string[] = [];
    const hide: Hide = (text) => replaceSecrets(text, [...secretsOf(provider, channel), ...tokens]);
    try {
      return show(await call(...([...args.slice(0, -1), noteTokens(context, tokens)] as A)), hide);
    } catch (error) {
      return throwHidden(error, hide);
    }
  };
}

/** Access tokens are no settings of the channel, and neither are refresh tokens that the vendor has replaced. */
const noteTokens = (context: AdapterContext, tokens: string[]): AdapterContext => ({
  ...context,
  async accessToken(channel, request) {
    const given = await context.accessToken(channel, {
      ...request,
      async fetch(refreshToken) {
        tokens.push(refreshToken);
        return request.fetch(refreshToken);
      },
    });
    tokens.push(given.token);
    return given;
  },
});

function throwHidden(error: unknown, hide: Hide): never {
  for (let one = error; one instanceof Error; one = one.cause) {
    one.message = hide(one.message);
    // It begins with the message.
    if (one.stack !== undefined) one.stack = hide(one.stack);
  }
  throw error;
}

/** The values of the settings that the setup of the provider calls secret. */
function secretsOf(provider: string, { config }: AdapterChannel): string[] {
  const names = (setups[provider]?.fields ?? []).flatMap(({ name, isSecret }) => (isSecret ? [name] : []));
  return names.flatMap((name) => {
    let value: unknown = config;
    for (const part of name.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
    return typeof value === 'string' ? [value] : [];
  });
}

/** The same text with `…` in place of secrets, in whatever form they are repeated. */
export function replaceSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter(({ length }) => length >= MIN_CHARACTERS).flatMap(formsOf);
  // The longest first: one may be part of another.
  const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
  const shown = ordered.reduce((rest, form) => rest.replaceAll(form, '…'), text);
  return secrets.filter(({ length }) => length > 0 && length < MIN_CHARACTERS).reduce(replaceShort, shown);
}

/** A secret as a vendor may repeat it: as it is, as in a form, in a URL, in JSON, and within a login in base64. */
const formsOf = (secret: string): string[] =>
  [...plainFormsOf(secret), ...[0, 1, 2].map((offset) => base64Within(secret, offset))].filter(
    ({ length }) => length >= MIN_CHARACTERS,
  );

const plainFormsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('latin1'),
  encodeURIComponent(secret.toWellFormed()),
  new URLSearchParams([['', secret]]).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
];

const BASE64 = /[A-Za-z0-9+/]{2,}={0,2}/g;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
const BESIDE = '[\\p{L}\\p{N}_]';

/** Whether a login in base64 has the secret: alone, or after a user in the forms of SASL and of HTTP. */
const isLoginWith = (token: string, secret: string): boolean => {
  const login = Buffer.from(token, 'base64').toString();
  return login === secret || login.endsWith(`\0${secret}`) || login.endsWith(`:${secret}`);
};

/** Replaces a secret of a few characters where it is no part of a word. */
function replaceShort(text: string, secret: string): string {
  const withoutLogins = text.replace(BASE64, (token) => (isLoginWith(token, secret) ? '…' : token));
  const forms = [...new Set(plainFormsOf(secret))].map((form) => form.replace(SYNTAX, '\\$&'));
  return withoutLogins.replace(new RegExp(`(?<!${BESIDE})(?:${forms.join('|')})(?!${BESIDE})`, 'gu'), '…');
}

/** The characters of a base64 text that depend on the secret alone, if so many bytes (modulo 3) precede it. */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), end);
}
