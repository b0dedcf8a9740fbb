import type { Logger } from 'pino';
import { sendForRuns } from './automations/runs/send.ts';
import { executeRuns } from './automations/runs/worker.ts';
import { startRuns } from './automations/triggers/events.ts';
import { runSchedules } from './automations/triggers/schedules.ts';
import type { Clock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { runCampaigns } from './campaigns/worker.ts';
import { readMailboxes } from './channels/mailboxes.ts';
import { endSnoozes } from './chats/end-snooze.ts';
import type { Database } from './db/database.ts';
import type { Publisher } from './engine/outbox.ts';
import type { Work } from './engine/runner.ts';
import { type Reaction, sequencer } from './engine/sequencer.ts';
import type { Notifier, WakeUps } from './engine/wakeups.ts';
import { announceEvents } from './events/streams.ts';
import { removeStored } from './files/removals.ts';
import type { FileStore } from './files/store.ts';
import { fetchMedia } from './messages/inbound/fetch-media.ts';
import { processInbound } from './messages/inbound/worker.ts';
import { sendQueued } from './messages/outbound/worker.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import type { OutboundClient } from './outbound/client.ts';
import type { Adapter, AdapterContext } from './providers/adapter.ts';
import { instagram } from './providers/instagram/instagram.ts';
import { sandbox } from './providers/sandbox/sandbox.ts';
import { smtp } from './providers/smtp/smtp.ts';
import { twilio } from './providers/twilio/twilio.ts';
import { whatsappCloud } from './providers/whatsapp_cloud/whatsapp-cloud.ts';
import { submitTemplates } from './templates/submit-templates.ts';
import { version } from './version.ts';
import { deliver } from './webhooks/deliver.ts';
import { createDeliveries } from './webhooks/match.ts';

export interface HandlerDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps & Notifier;
  publisher: Publisher;
  outbound: OutboundClient;
  store: FileStore;
  /** The vendors that channels can have. */
  adapters: ReadonlyMap<string, Adapter>;
  /** What vendors may use of the world. */
  context: AdapterContext;
  /** What public URLs begin with. */
  baseUrl: () => string;
  policy: OutboundPolicy;
  log: Logger;
  /** How long one attempt at a delivery may take. */
  deliveryDeadlineMs?: number;
  /** How long one attempt at sending a message may take. */
  sendDeadlineMs?: number;
  /** Nobody else works on this database. */
  isSoleProcess: boolean;
}

/** The vendors that channels can have, unless told otherwise. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [sandbox, whatsappCloud, instagram, twilio, smtp].map((adapter) => [adapter.provider, adapter]),
);

/** What follows from every event, in the transaction that numbers it. */
const reactions = (deps: HandlerDeps): Reaction[] => [
  createDeliveries(deps.wakeUps, deps.clock),
  announceEvents(deps.wakeUps),
  startRuns(deps.wakeUps, deps.clock),
];

/**
 * Every work list and what is done with its rows. Receiving writes contacts, handles, chats, messages, files and
 * templates in one transaction (messages/apply-inbound.ts), each by its module's own statements but for chats; all other tables are written by their own module only.
 */
export const queues = (deps: HandlerDeps): Work[] => [
  processInbound(deps),
  sendQueued(deps),
  executeRuns({ ...deps, send: sendForRuns(deps) }),
  fetchMedia(deps),
  readMailboxes(deps),
  sequencer(deps.db, reactions(deps)),
  deliver({ ...deps, version }),
  endSnoozes(deps.db, deps),
  runSchedules(deps),
  runCampaigns(deps),
  removeStored(deps.db, deps.store),
  submitTemplates(deps),
];
