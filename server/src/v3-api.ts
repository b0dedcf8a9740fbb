import type { Logger } from 'pino';
import type { Arrivals } from './access/advance-clock.ts';
import { clockRoutes } from './access/clock-routes.ts';
import { operatorRoutes } from './access/operator-routes.ts';
import { accessRoutes } from './access/routes.ts';
import { statusRoutes } from './access/status.ts';
import { afterRestoreRoutes } from './after-restore.ts';
import { attributeRoutes } from './attributes/routes.ts';
import { explainRoutes } from './automations/explain-routes.ts';
import { automationRoutes } from './automations/routes.ts';
import { cancelRunsOfChats, cancelRunsWithEvents } from './automations/runs/run.ts';
import { secretRoutes } from './automations/secrets/routes.ts';
import type { TenantClock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import type { FileUrls } from './base/file-urls.ts';
import { campaignRoutes } from './campaigns/routes.ts';
import type { channelCredentials } from './channels/credentials.ts';
import { failedRequestRoutes } from './channels/failed-request-routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { sandboxRoutes } from './channels/sandbox-routes.ts';
import { chatRoutes } from './chats/routes.ts';
import { contactDataRoutes } from './contacts/access-request/routes.ts';
import { contactRoutes } from './contacts/routes.ts';
import type { Database } from './db/database.ts';
import { documentedEvents, documentedStreamOnlyEvents } from './documented-events.ts';
import type { Notifier, WakeUps } from './engine/wakeups.ts';
import { eventRoutes } from './events/routes.ts';
import type { EventStreams } from './events/streams.ts';
import { fileRoutes } from './files/routes.ts';
import type { FileStore } from './files/store.ts';
import { hoursRoutes } from './hours/routes.ts';
import type { Api } from './http/api.ts';
import type { Authenticator } from './http/authenticate.ts';
import { healthRoutes } from './http/health-routes.ts';
import { openapiDocument } from './http/openapi.ts';
import { withStreamOnlyEvents, withWebhooks } from './http/openapi-webhooks.ts';
import type { Sessions } from './http/sessions.ts';
import { importRoutes } from './imports/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { noteRoutes } from './notes/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import { accountRoutes } from './people/account-routes.ts';
import { auditRoutes } from './people/audit-routes.ts';
import { linkRoutes } from './people/link-routes.ts';
import { loginRoutes } from './people/login-routes.ts';
import type { Oidc } from './people/oidc.ts';
import type { Passwords } from './people/passwords.ts';
import type { SystemMailChannel } from './people/system-mail.ts';
import { userSessionRoutes } from './people/user-session-routes.ts';
import type { AdapterContext } from './providers/adapter-context.ts';
import type { Adapters } from './providers/adapters.ts';
import { allQueues } from './queues.ts';
import { reportRoutes } from './reports/routes.ts';
import type { TaskPool } from './sandboxed/task-pool.ts';
import { savedReplyRoutes } from './saved-replies/routes.ts';
import { segmentRoutes } from './segments/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { userRoutes } from './users/routes.ts';
import { version } from './version.ts';
import { viewRoutes } from './views/routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** What the routes of every version of the API may need. */
export interface ApiDeps {
  db: Database;
  clock: TenantClock;
  keys: Keys;
  wakeUps: WakeUps & Notifier;
  policy: OutboundPolicy;
  store: FileStore;
  /** The vendors that channels can have. */
  adapters: Adapters;
  context: AdapterContext;
  /** Worker threads for untrusted texts. */
  tasks: TaskPool;
  maxFileBytes: number;
  baseUrl: () => string;
  fileUrls: FileUrls;
  authenticator: Authenticator;
  sessions: Sessions;
  passwords: Passwords;
  hasPasswordLogin: boolean;
  oidc: Oidc | undefined;
  /** The channel for mails with links, if there is one. */
  systemMail: SystemMailChannel | undefined;
  findCredentials: ReturnType<typeof channelCredentials>;
  streams: EventStreams;
  arrivals: Arrivals;
  log: Logger;
  isDraining: () => boolean;
  readiness: readonly (() => void | Promise<void>)[];
}

/** Version 3: every module by name. */
export const v3Api: Api<ApiDeps> = {
  name: 'v3',
  variables: {},
  create: (deps) => ({
    routes: [
      ...accessRoutes(deps),
      ...operatorRoutes(deps),
      ...statusRoutes({ ...deps, queues: allQueues, version }),
      ...loginRoutes(deps),
      ...accountRoutes(deps),
      ...linkRoutes(deps),
      ...auditRoutes(),
      ...userSessionRoutes(deps),
      ...clockRoutes(deps),
      ...channelRoutes({ ...deps, beforeRemoval: cancelRunsOfChats }),
      ...sandboxRoutes(deps),
      ...failedRequestRoutes(),
      ...contactRoutes(),
      ...contactDataRoutes(),
      ...labelRoutes(),
      ...viewRoutes(),
      ...savedReplyRoutes(),
      ...attributeRoutes(),
      ...chatRoutes({ beforeRemoval: cancelRunsWithEvents }),
      ...templateRoutes(deps),
      ...messageRoutes(deps),
      ...noteRoutes(),
      ...notificationRoutes(),
      ...webhookRoutes({ ...deps, version }),
      ...deliveryRoutes(),
      ...eventRoutes(deps),
      ...userRoutes(),
      ...fileRoutes(deps),
      ...automationRoutes(deps),
      ...explainRoutes(deps),
      ...secretRoutes(deps),
      ...segmentRoutes(),
      ...hoursRoutes(),
      ...campaignRoutes(deps),
      ...importRoutes(deps),
      ...jobRoutes(),
      ...reportRoutes(),
      ...healthRoutes(deps),
      ...afterRestoreRoutes(allQueues),
    ],
  }),
  documentPath: '/openapi.json',
  document: (routes) => {
    const document = openapiDocument(routes, ['/v3/', '/admin/'], {
      title: 'Parley API',
      version,
      description: 'Customer conversations over WhatsApp, SMS, email and Instagram.',
    });
    const withStreams = withStreamOnlyEvents(document, '/v3/events/stream', documentedStreamOnlyEvents);
    return withWebhooks(withStreams, documentedEvents);
  },
};
