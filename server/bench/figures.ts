import type { Figure } from './figure.ts';
import { createBroadcastRun } from './figures/broadcast-run.ts';
import { createBroadcasts } from './figures/broadcasts.ts';
import { createConsole } from './figures/console.ts';
import { createExplanations, createPreviews } from './figures/explanations.ts';
import { createExports } from './figures/exports.ts';
import { createGrowth } from './figures/growth.ts';
import { createHanging } from './figures/hanging.ts';
import { createHostile } from './figures/hostile.ts';
import { createIdle } from './figures/idle.ts';
import { createImports } from './figures/imports.ts';
import { createInbound } from './figures/inbound.ts';
import { createLabels } from './figures/labels.ts';
import { createLatency } from './figures/latency.ts';
import { createLongChat } from './figures/long-chat.ts';
import { createPicture } from './figures/picture.ts';
import { createChats, createMe } from './figures/reads.ts';
import { createReports } from './figures/reports.ts';
import { createSearches } from './figures/searches.ts';
import { createSending } from './figures/sending.ts';
import { createStart } from './figures/start.ts';
import { createTrigger } from './figures/trigger.ts';
import { createTwoProcesses } from './figures/two-processes.ts';
import { createWaitingRuns } from './figures/waiting-runs.ts';
import { createEndpoint, createThousandEndpoints, createWaiting } from './figures/webhooks.ts';
import { createWhatsapp, createWhatsappVisible } from './figures/whatsapp.ts';

/**
 * All figures in the order in which they are measured. `start` is first because it runs beside no other server, then `idle`
 * because the others leave rows that wait.
 */
export const figures: Record<string, Figure> = {
  start: createStart,
  idle: createIdle,
  me: createMe,
  chats: createChats,
  inbound: createInbound,
  whatsapp: createWhatsapp,
  'whatsapp-visible': createWhatsappVisible,
  sending: createSending,
  'long-chat': createLongChat,
  labels: createLabels,
  imports: createImports,
  exports: createExports,
  broadcasts: createBroadcasts,
  trigger: createTrigger,
  'broadcast-run': createBroadcastRun,
  'waiting-runs': createWaitingRuns,
  endpoint: createEndpoint,
  endpoints: createThousandEndpoints,
  waiting: createWaiting,
  latency: createLatency,
  'two-processes': createTwoProcesses,
  searches: createSearches,
  explanations: createExplanations,
  reports: createReports,
  previews: createPreviews,
  growth: createGrowth,
  hanging: createHanging,
  hostile: createHostile,
  console: createConsole,
  picture: createPicture,
};

/** Names for several figures at once. */
export const groups: Record<string, string[]> = {
  conversations: ['whatsapp', 'whatsapp-visible', 'sending', 'long-chat'],
  automations: ['trigger', 'broadcast-run', 'waiting-runs'],
  webhooks: ['endpoint', 'endpoints', 'waiting', 'latency'],
};

/** Measured only by name: filling the database takes minutes. */
export const onlyByName: readonly string[] = ['growth', 'reports', 'previews'];
/** Measured against another commit only by name: an older one may freeze or die of what they send, or cannot do it at all. */
export const notCompared: readonly string[] = [
  'imports',
  'exports',
  'hanging',
  'hostile',
  'console',
  'picture',
  'explanations',
];
