import { OutboundError } from '../../outbound/outbound-error.ts';
import type { AdapterContext, FetchedToken } from '../adapter-context.ts';
import { CredentialFailure, VendorFailure } from '../vendor-failure.ts';
import { type MailOAuth, type TokenEndpoint, tokenEndpointOf } from './oauth-vendors.ts';

const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_REASON_LENGTH = 300;
const TOKEN = /^[\x21-\x7e]{1,16000}$/;
const DEFAULT_LIFE_S = 3600;
const MAX_LIFE_S = 24 * 3600;

interface TokenAnswer {
  access_token?: unknown;
  expires_in?: unknown;
  refresh_token?: unknown;
  error?: unknown;
  error_description?: unknown;
}

const isToken = (value: unknown): value is string => typeof value === 'string' && TOKEN.test(value);

/** Exchanges a refresh token for an access token (RFC 6749, section 6). */
export async function fetchToken(
  oauth: MailOAuth,
  user: string,
  refreshToken: string,
  context: Pick<AdapterContext, 'request'>,
): Promise<FetchedToken> {
  const endpoint = tokenEndpointOf(oauth);
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: oauth.clientId,
    ...(oauth.clientSecret === undefined ? {} : { client_secret: oauth.clientSecret }),
    ...(endpoint.scopes === undefined ? {} : { scope: endpoint.scopes }),
  });
  const { status, answer } = await postForm(endpoint, form, context);
  if (status !== 200) throw refusalOf(endpoint, user, status, answer);
  const { access_token: accessToken, expires_in: life, refresh_token: next } = answer;
  if (!isToken(accessToken)) throw unavailable(endpoint, 'its answer contains no access token');
  const seconds = Number(life ?? DEFAULT_LIFE_S);
  return {
    accessToken,
    lifeMs: 1000 * Math.min(MAX_LIFE_S, Number.isFinite(seconds) ? Math.max(0, seconds) : DEFAULT_LIFE_S),
    ...(isToken(next) ? { refreshToken: next } : {}),
  };
}

async function postForm(
  endpoint: TokenEndpoint,
  form: URLSearchParams,
  context: Pick<AdapterContext, 'request'>,
): Promise<{ status: number; answer: TokenAnswer }> {
  try {
    const { status, body } = await context.request({
      url: endpoint.url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form.toString(),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    return { status, answer: parseAnswer(body) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.phase === 'refused') throw new CredentialFailure('token_url', error.message, 'config.oauth');
    throw unavailable(endpoint, error.message);
  }
}

function parseAnswer(body: Buffer): TokenAnswer {
  try {
    const answer: unknown = JSON.parse(body.toString());
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

/** A failure that may end by itself: nobody has to do anything about the channel. */
const unavailable = ({ name }: TokenEndpoint, reason: string): VendorFailure =>
  new VendorFailure('token_unavailable', `${name} gave no access token: ${reason}`, true);

/** The vendor's own words. Microsoft ends them with the ids and the time of each request. */
function reasonOf({ error_description: description }: TokenAnswer, code: string): string {
  const [words = ''] = typeof description === 'string' ? description.split(/[\r\n]|\s+Trace ID:/, 1) : [];
  return `${code}${words.trim() === '' ? '' : `: ${words.trim().slice(0, MAX_REASON_LENGTH)}`}`;
}

function refusalOf(endpoint: TokenEndpoint, user: string, status: number, answer: TokenAnswer): Error {
  const code =
    typeof answer.error === 'string' && /^[\w.-]{1,60}$/.test(answer.error) ? answer.error : `HTTP ${status}`;
  if (status === 408 || status === 429 || status >= 500 || status < 400)
    return unavailable(endpoint, reasonOf(answer, code));
  const said = `${endpoint.name} says ${reasonOf(answer, code)}`;
  if (code === 'invalid_grant')
    return new CredentialFailure(
      code,
      `${endpoint.name} no longer accepts the refresh token of ${user}. Visit ${endpoint.consentScreen}. Then sign in again and store the new refresh token in config.oauth.refreshToken. ${said}`,
      'config.oauth.refreshToken',
    );
  return new CredentialFailure(
    code,
    `${endpoint.name} refuses the app that reads and sends the mail of ${user}. Visit ${endpoint.clientScreen}. Then correct clientId, clientSecret or scopes in config.oauth. ${said}`,
    'config.oauth',
  );
}
