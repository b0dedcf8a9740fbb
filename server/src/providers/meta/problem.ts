import type { ChannelProblem } from '../adapter.ts';
import type { GraphError } from './classify-error.ts';

/** What a refusal to show an object means for whoever set the channel up. */
export function problemOf({ code, message, retry }: GraphError, path: string, named: string): ChannelProblem {
  if (code === '190')
    return { path: 'config.accessToken', message: `Meta does not accept the access token: ${message}` };
  if (retry === 'reauth')
    return { path: 'config.accessToken', message: `The access token lacks a permission: ${message}` };
  if (retry === 'backoff' || retry === 'unknown' || code === 'request_refused')
    return { message: `Meta could not be asked: ${message}` };
  return { path, message: `Meta shows no ${named} with this id to the access token: ${message}` };
}
