import type { Logger } from 'pino';
import { runSchedules } from './automations/run-schedules.ts';
import type { Clock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { runCampaigns } from './campaigns/run-campaigns.ts';
import { endSnoozes } from './chats/end-snooze.ts';
import type { Database } from './db/database.ts';
import type { Broadcast, Hints } from './engine/hints.ts';
import type { Publisher } from './engine/publish.ts';
import { type Reaction, sequencer } from './engine/sequencer.ts';
import type { Work } from './engine/worker.ts';
import { announceEvents } from './events/streams.ts';
import { removeStored } from './files/removals.ts';
import type { FileStore } from './files/store.ts';
import { processInbound } from './messages/process-inbound.ts';
import type { OutboundClient } from './outbound/client.ts';
import type { Adapter } from './providers/adapter.ts';
import { sandbox } from './providers/sandbox/sandbox.ts';
import { version } from './version.ts';
import { deliver } from './webhooks/deliver.ts';
import { createDeliveries } from './webhooks/match.ts';

export interface HandlerNeeds {
  db: Database;
  clock: Clock;
  keys: Keys;
  hints: Hints & Broadcast;
  publisher: Publisher;
  outbound: OutboundClient;
  store: FileStore;
  log: Logger;
  /** How long one attempt at a delivery may take. */
  deliveryDeadlineMs?: number;
}

/** The vendors that channels can have. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [sandbox].map((adapter) => [adapter.provider, adapter]),
);

/** What follows from every event, in the transaction that numbers it. */
const reactions = (needs: HandlerNeeds): Reaction[] => [
  createDeliveries(needs.hints, needs.clock.now),
  announceEvents(needs.hints),
];

/**
 * Every work list and what is done with its rows. Receiving a message writes contacts, handles, chats and messages in
 * one transaction (messages/receive-messages.ts); all other tables are written by their own module only.
 */
export const works = (needs: HandlerNeeds): Work[] => [
  processInbound({ ...needs, adapters }),
  sequencer(needs.db, reactions(needs)),
  deliver({ ...needs, version }),
  endSnoozes(needs.db, needs),
  runSchedules(needs),
  runCampaigns(needs),
  removeStored(needs.db, needs.store),
];
