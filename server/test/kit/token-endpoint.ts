import { type Listener, useHttpServer } from './listeners.ts';

/** A token endpoint of OAuth 2, which gives out access tokens for one refresh token at a time. */
export interface TokenEndpoint extends Listener {
  /** The forms that were posted, as objects. */
  asked: Record<string, string>[];
  /** The refresh token that is accepted now. */
  refreshToken(): string;
  isValid(accessToken: string): boolean;
  /** The vendor withdraws all access tokens; the refresh token stays valid. */
  withdrawTokens(): void;
  /** Somebody withdrew the consent: nothing is accepted any more. Returns the refresh token of the next sign-in. */
  revoke(): string;
  /** Every answer contains another refresh token, and the one before is no longer accepted. */
  rotate(): void;
  /** What the next request gets instead. */
  next(status: number, body: object | string): void;
  /** Answers wait until the returned function is called. */
  hold(): () => void;
}

interface TokenOptions {
  lifeSeconds?: number;
}

export async function useTokenEndpoint({ lifeSeconds = 3600 }: TokenOptions = {}): Promise<TokenEndpoint> {
  const asked: Record<string, string>[] = [];
  const valid = new Set<string>();
  let number = 0;
  let refreshToken = 'refresh-0';
  let isRotating = false;
  let instead: { status: number; body: object | string } | undefined;
  let held: Promise<void> | undefined;

  function answer(form: Record<string, string>): { status: number; body: object | string } {
    if (instead) {
      const now = instead;
      instead = undefined;
      return now;
    }
    if (form.client_id !== 'client' || form.client_secret !== 'client secret')
      return { status: 401, body: { error: 'invalid_client', error_description: 'unknown client' } };
    if (form.refresh_token !== refreshToken)
      return {
        status: 400,
        body: {
          error: 'invalid_grant',
          error_description: `AADSTS700082: The refresh token has expired. Trace ID: ${++number} Timestamp: now`,
        },
      };
    number += 1;
    const accessToken = `access-${number}`;
    valid.add(accessToken);
    if (isRotating) refreshToken = `refresh-${number}`;
    const more = isRotating ? { refresh_token: refreshToken } : {};
    return {
      status: 200,
      body: { token_type: 'Bearer', access_token: accessToken, expires_in: lifeSeconds, ...more },
    };
  }

  const listener = await useHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const form = Object.fromEntries(new URLSearchParams(body));
    asked.push(form);
    await held;
    const { status, body: text } = answer(form);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof text === 'string' ? text : JSON.stringify(text));
  });
  return {
    ...listener,
    asked,
    refreshToken: () => refreshToken,
    isValid: (token) => valid.has(token),
    withdrawTokens: () => valid.clear(),
    revoke() {
      valid.clear();
      refreshToken = `refresh-after-${++number}`;
      return refreshToken;
    },
    rotate() {
      isRotating = true;
    },
    next(status, body) {
      instead = { status, body };
    },
    hold() {
      let release = (): void => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        held = undefined;
        release();
      };
    },
  };
}
