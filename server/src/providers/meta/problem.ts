import type { ChannelProblem } from '../adapter-channel.ts';
import type { GraphError } from './classify-error.ts';

/** The problem of a channel whose object Meta does not return. */
export function problemOf({ code, message, retry }: GraphError, path: string, named: string): ChannelProblem {
  if (code === '190')
    return { path: 'config.accessToken', message: `Meta does not accept the access token: ${message}` };
  if (retry === 'reauth')
    return { path: 'config.accessToken', message: `The access token lacks a permission: ${message}` };
  if (retry === 'backoff' || retry === 'unknown' || code === 'request_refused')
    return { message: `Meta could not be called: ${message}` };
  return { path, message: `Meta has no ${named} with this id for the access token: ${message}` };
}
