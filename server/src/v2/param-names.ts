import { ApiError } from '../base/errors.ts';
import { collectIssues } from '../base/issues.ts';

/**
 * Operations name invalid parameters as version 3 does. This renames them to the parameters that the client of version 2
 * sent: `{ events: 'channelId' }` turns `events.0.scopes.0.ids.0` into `channelId`, and a longer path without its numbers
 * (`events.type`) comes first.
 */
export async function withV2ParamNames<T>(operation: Promise<T>, names: Record<string, string>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (!(error instanceof ApiError) || error.invalidParams === undefined) throw error;
    const issues = collectIssues();
    for (const [path, { key, message }] of Object.entries(error.invalidParams)) {
      const name = names[path.replaceAll(/\.\d+/g, '')] ?? names[path.split('.', 1)[0] as string];
      issues.add(name ?? path, key, message);
    }
    throw new ApiError(error.key, { invalidParams: issues.params });
  }
}
