import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { CredentialFailure } from '../vendor-failure.ts';
import type { MailServer, SmtpConfig } from './config.ts';
import { fetchToken } from './fetch-token.ts';

/** How a client logs in to a mail server: by password, or by access token (XOAUTH2). */
export type Login =
  | { user: string; password: string; accessToken?: undefined }
  | { user: string; accessToken: string };

/** User and token as `AUTH XOAUTH2` takes them. */
export const xoauth2 = (user: string, accessToken: string): string =>
  Buffer.from(`user=${user}\x01auth=Bearer ${accessToken}\x01\x01`).toString('base64');

const isRefusedLogin = (error: unknown): boolean =>
  error instanceof CredentialFailure || (error as { code?: string }).code === 'EAUTH';

/**
 * Calls `use` with the login for a server; without one if the server needs none. A vendor may withdraw an access token
 * before its time, so one that is refused is replaced once.
 */
export async function withLogin<T>(
  { user, password }: MailServer,
  channel: AdapterChannel,
  context: AdapterContext,
  use: (login: Login | undefined) => Promise<T>,
): Promise<T> {
  if (user === undefined) return use(undefined);
  if (password !== undefined) return use({ user, password });
  const { oauth } = channel.config as SmtpConfig;
  if (!oauth) throw new CredentialFailure('no_password', `There is no password for ${user}.`, 'config');
  const { refreshToken, ...rest } = oauth;
  const request = {
    refreshToken,
    settings: JSON.stringify(rest),
    fetch: (current: string) => fetchToken(oauth, user, current, context),
  };
  const first = await context.accessToken(channel, request);
  try {
    return await use({ user, accessToken: first.token });
  } catch (error) {
    if (first.isNew || !isRefusedLogin(error)) throw error;
    const second = await context.accessToken(channel, { ...request, refused: first.token });
    return use({ user, accessToken: second.token });
  }
}
