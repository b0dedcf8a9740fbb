import { ApiError, type InvalidParams } from '../base/errors.ts';

/**
 * Version 2 calls the operations of version 3, which name wrong parameters as version 3 does. This gives them the
 * names that the client used: `{ events: 'channelId' }` makes `events.0.scopes.0.ids.0` a `channelId`.
 */
export async function inV2Words<T>(work: Promise<T>, names: Record<string, string>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.invalidParams === undefined) throw error;
    const invalidParams: InvalidParams = {};
    for (const [path, issue] of Object.entries(error.invalidParams))
      invalidParams[names[path.split('.', 1)[0] as string] ?? path] ??= issue;
    throw new ApiError(error.key, { invalidParams });
  }
}
