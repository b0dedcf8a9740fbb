import type { Announcement, StreamOnlyType } from '../base/events.ts';
import { newId } from '../base/ids.ts';
import { MAX_ENTRY, type Notifier } from '../engine/wakeups.ts';

const TOPIC = 'announced';
/** A tenant may have so many events of one type a second at one process. More are dropped: a campaign must not fill all streams. */
const MAX_PER_SECOND = 200;

/** An announcement as the processes get it. */
export type Announced = Announcement & { eventId: string; createdAt: string; tenantId: string };

/** Sends stream-only events to every process. Nothing waits for them, and nothing is stored. */
export function createAnnouncer(wakeUps: Pick<Notifier, 'notify'>, now: (tenantId: string) => Date) {
  let second = 0;
  const counts = new Map<string, number>();

  function isWithinLimit(tenantId: string, type: StreamOnlyType): boolean {
    const current = Math.floor(performance.now() / 1000);
    if (current !== second) {
      second = current;
      counts.clear();
    }
    const key = `${type} ${tenantId}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= MAX_PER_SECOND;
  }

  return (tenantId: string, announcement: Announcement): void => {
    if (!isWithinLimit(tenantId, announcement.type)) return;
    const announced = { ...announcement, eventId: newId(), createdAt: now(tenantId).toISOString() };
    const text = Buffer.from(JSON.stringify(announced)).toString('base64url');
    if (text.length <= MAX_ENTRY) wakeUps.notify(TOPIC, `${text}.${tenantId}`);
  };
}

/** Calls `receive` for the stream-only events of all processes. `isWanted` says whether a tenant has streams here. */
export function subscribeToAnnouncements(
  wakeUps: Pick<Notifier, 'subscribe'>,
  isWanted: (tenantId: string) => boolean,
  receive: (announced: Announced) => void,
): void {
  wakeUps.subscribe((topic, text) => {
    if (topic !== TOPIC) return;
    const [encoded = '', tenantId = ''] = text.split('.');
    if (!isWanted(tenantId)) return;
    receive({ ...JSON.parse(Buffer.from(encoded, 'base64url').toString()), tenantId });
  });
}
