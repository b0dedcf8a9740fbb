import type { Logger } from 'pino';
import { callsQueue, runRepliesQueue, runsQueue, schedulesQueue } from './automations/queues.ts';
import { createPrograms, type Programs } from './automations/runs/advance.ts';
import type { ContactTurns } from './automations/runs/contact-turns.ts';
import { createAnswerStore, makeCalls, type StoreAnswer } from './automations/runs/make-calls.ts';
import { executeRuns, setRunAside } from './automations/runs/worker.ts';
import { startRuns } from './automations/triggers/events.ts';
import { noteRepliedRuns, wakeRepliedRuns } from './automations/triggers/replies.ts';
import { runSchedules } from './automations/triggers/schedules.ts';
import type { Clock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { createProgressAnnouncer } from './campaigns/announce-progress.ts';
import { campaignsQueue } from './campaigns/queues.ts';
import { runCampaigns } from './campaigns/worker.ts';
import type { KeptMailboxes } from './channels/kept-mailboxes.ts';
import { readMailboxes } from './channels/mailboxes.ts';
import { inboundQueue, mailboxesQueue } from './channels/queues.ts';
import { endSnoozes } from './chats/end-snooze.ts';
import { performChatTasks } from './chats/perform-tasks.ts';
import { chatTasksQueue, snoozesQueue } from './chats/queues.ts';
import type { Database } from './db/database.ts';
import type { BatchSizes } from './engine/batch-sizes.ts';
import { eventsQueue } from './engine/outbox.ts';
import type { Queue, QueueRow } from './engine/queue.ts';
import type { BoundQueue } from './engine/runner.ts';
import type { HandlerResult } from './engine/scheduler.ts';
import { createSequencerState, type Subscriber, sequenceEvents } from './engine/sequencer.ts';
import type { Notifier, WakeUps } from './engine/wakeups.ts';
import { announceEvents } from './events/streams.ts';
import { fileRemovalsQueue } from './files/queues.ts';
import { removeStoredFiles } from './files/removals.ts';
import type { FileStore } from './files/store.ts';
import { jobsQueue } from './jobs/queues.ts';
import { runJobs } from './jobs/worker.ts';
import type { CountFailed } from './messages/count-failures.ts';
import { fetchMedia, setFetchAside } from './messages/inbound/fetch-media.ts';
import { processInbound, setRequestAside } from './messages/inbound/worker.ts';
import { createSendState, type SendState, sendQueued } from './messages/outbound/worker.ts';
import { mediaFetchesQueue, messagesQueue } from './messages/queues.ts';
import { notifyUsers } from './notifications/notify-users.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import type { OutboundClient } from './outbound/client.ts';
import { systemMailsQueue } from './people/queues.ts';
import { sendSystemMail } from './people/send-system-mail.ts';
import type { AdapterContext } from './providers/adapter-context.ts';
import type { Adapters } from './providers/adapters.ts';
import { countMarkedHours } from './reports/count-hours.ts';
import { createReportsSubscriber } from './reports/note-changes.ts';
import { reportsQueue } from './reports/queues.ts';
import type { TaskPool } from './sandboxed/task-pool.ts';
import { templateTasksQueue } from './templates/queues.ts';
import { submitTemplates } from './templates/submit-templates.ts';
import { version } from './version.ts';
import { createDeliveryState, type DeliveryState, deliverEvents } from './webhooks/deliver.ts';
import { createDeliveries } from './webhooks/match.ts';
import { deliveriesQueue } from './webhooks/queues.ts';

/** What the handlers of queues need of the rest of the program. */
export interface WorkerDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps & Notifier;
  outbound: OutboundClient;
  store: FileStore;
  /** The vendors that channels can have. */
  adapters: Adapters;
  /** What vendors' adapters may use. */
  context: AdapterContext;
  /** What public URLs begin with. */
  baseUrl: () => string;
  policy: OutboundPolicy;
  /** Worker threads for untrusted texts. */
  tasks: TaskPool;
  /** Counts what vendors send and a channel does not want. */
  countIgnored(provider: string, reason: 'history'): void;
  /** Counts messages that failed. */
  countFailed: CountFailed;
  log: Logger;
  /** How long one attempt at a delivery may take. */
  deliveryDeadlineMs?: number;
  /** How long one attempt at sending a message may take. */
  sendDeadlineMs?: number;
  /** No other process works on this database. */
  isSoleProcess: boolean;
  /** The connections on which mail servers announce new mail. */
  keptMailboxes: KeptMailboxes;
}

/** What the handlers of one process share between calls: caches, recorders, pacing. */
interface WorkerState {
  subscribers: readonly Subscriber[];
  batchSizes: BatchSizes;
  programs: Programs;
  contactTurns: ContactTurns;
  storeAnswer: StoreAnswer;
  sendState: SendState;
  deliveryState: DeliveryState;
  /** The version of Parley, which webhooks get as the user agent. */
  version: string;
}

/** Who reacts to events, in the transaction that numbers them. */
const subscribersOf = ({ wakeUps, db }: WorkerDeps): Subscriber[] => [
  createDeliveries,
  startRuns,
  noteRepliedRuns,
  notifyUsers,
  createProgressAnnouncer({ db }),
  createReportsSubscriber(),
  (tx) => announceEvents({ wakeUps }, tx),
];

const bind = <Row extends QueueRow>(
  queue: Queue<Row>,
  handle: (deps: WorkerDeps & WorkerState, rows: Row[]) => Promise<HandlerResult>,
  setAside?: (deps: WorkerDeps & WorkerState, row: Row) => Promise<void>,
) => ({ queue, handle, setAside });

/** Every queue and the function that handles its rows. */
export const queues = {
  inbound: bind(inboundQueue, processInbound, setRequestAside),
  messages: bind(messagesQueue, sendQueued),
  media_fetches: bind(mediaFetchesQueue, fetchMedia, setFetchAside),
  mailboxes: bind(mailboxesQueue, readMailboxes),
  events: bind(eventsQueue, sequenceEvents),
  deliveries: bind(deliveriesQueue, deliverEvents),
  automation_runs: bind(runsQueue, executeRuns, setRunAside),
  automation_calls: bind(callsQueue, makeCalls),
  run_replies: bind(runRepliesQueue, wakeRepliedRuns),
  automations: bind(schedulesQueue, runSchedules),
  campaigns: bind(campaignsQueue, runCampaigns),
  chats: bind(snoozesQueue, endSnoozes),
  chat_tasks: bind(chatTasksQueue, performChatTasks),
  system_mails: bind(systemMailsQueue, sendSystemMail),
  template_tasks: bind(templateTasksQueue, submitTemplates),
  file_removals: bind(fileRemovalsQueue, removeStoredFiles),
  jobs: bind(jobsQueue, runJobs),
  report_marks: bind(reportsQueue, countMarkedHours),
};

/** Every queue, whatever its rows are. */
export const allQueues: readonly Queue[] = Object.values(queues).map(
  ({ queue }) => queue as unknown as Queue,
);

/** The queues of one process, with the state that their handlers share. */
export function bindQueues(deps: WorkerDeps): BoundQueue[] {
  const { db, clock, keys } = deps;
  const withState = {
    ...deps,
    subscribers: subscribersOf(deps),
    batchSizes: createSequencerState(),
    programs: createPrograms(),
    contactTurns: new Map(),
    storeAnswer: createAnswerStore(db, deps.wakeUps),
    sendState: createSendState(db, clock, deps),
    deliveryState: createDeliveryState({ db, clock, keys }),
    version,
  };
  return Object.values(queues).map(({ queue, handle, setAside }) => ({
    queue: queue as unknown as Queue,
    handle: (rows) =>
      (handle as (deps: typeof withState, rows: QueueRow[]) => Promise<HandlerResult>)(withState, rows),
    ...(setAside
      ? {
          setAside: (row) =>
            (setAside as (deps: typeof withState, row: QueueRow) => Promise<void>)(withState, row),
        }
      : {}),
  }));
}
