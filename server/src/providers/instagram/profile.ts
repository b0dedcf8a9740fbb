import type { ContactProfile } from '../adapter.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { Handle } from '../kinds.ts';
import { asVendorFailure } from '../meta/classify-error.ts';
import { call, graphFor, INSTAGRAM_GRAPH } from '../meta/graph.ts';
import { textOf } from '../meta/payload.ts';

const DEADLINE_MS = 10_000;
/** The person has not written to the business, or has blocked it: there is no profile to see. */
const HIDDEN = ['230', '100'];

/** The profile of somebody who has written. Meta sends none with a message. */
export async function fetchProfile(
  { value }: Handle,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<ContactProfile | undefined> {
  const answer = await call(graphFor(config, INSTAGRAM_GRAPH, context), {
    method: 'GET',
    path: encodeURIComponent(value),
    query: { fields: 'name,username,profile_pic' },
    deadlineMs: DEADLINE_MS,
  });
  if (!answer.ok && HIDDEN.includes(answer.error.code)) return undefined;
  if (!answer.ok) throw asVendorFailure(answer.error);
  const { name, username, profile_pic: picture } = answer.body;
  return { name: textOf(name), username: textOf(username), pictureUrl: textOf(picture) };
}
