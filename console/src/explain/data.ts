import { getTrace, type Trace } from '@parley/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { client, queryClient, useRead } from '../api/api.ts';
import { useEvents } from '../live/patches.ts';
import { contactIdOf } from './event-about.ts';

const traceKey = (id: string) => ['trace', id] as const;
const SOON_MS = 700;
/** Deliveries have no events. Those that are still tried are read again for so long after the first. */
const DELIVERY_MS = 3_000;
const WATCHED_MS = 10 * 60_000;

const isBeingDelivered = ({ nodes }: Trace): boolean =>
  nodes.some(
    ({ type, status, at }) =>
      type === 'delivery' && status === 'pending' && Date.now() - Date.parse(at) < WATCHED_MS,
  );

/** A trace, which grows while it is shown. */
export function useTrace(id: string, { enabled = true } = {}): UseQueryResult<Trace> {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const query = useRead(traceKey(id), (signal) => getTrace(client, { path: { traceId: id }, signal }), {
    enabled,
    everyMs: (trace) => (trace !== undefined && isBeingDelivered(trace as Trace) ? DELIVERY_MS : false),
  });
  const contactIds = new Set(query.data?.nodes.map(({ contactId }) => contactId));
  useEvents(['message.*', 'automation.*', 'contact.*', 'chat.*'], (event) => {
    if (timer.current !== undefined || !contactIds.has(contactIdOf(event) ?? null)) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: traceKey(id) });
    }, SOON_MS);
  });
  return query;
}
