/**
 * Which part of src writes each table: a folder or a file. Everything else calls an operation of that part. A table that
 * is missing here, and a write from anywhere else, fails `npm run writers`.
 */
export const writers: Record<string, string> = {
  tenants: 'access',
  tokens: 'access',
  v2_usage: 'access',
  installation: 'installation.ts',
  rate_windows: 'http',
  idempotency_keys: 'http',
  people_rate_windows: 'http',
  audit_entries: 'http',
  users: 'users',
  teams: 'users',
  team_members: 'users',
  team_channels: 'users',
  people: 'people',
  sessions: 'people',
  person_links: 'people',
  person_identities: 'people',
  login_failures: 'people',
  system_mails: 'people',

  contacts: 'contacts',
  merged_contacts: 'contacts/merge',
  handles: 'contacts/handles',
  consents: 'contacts/consent',
  contact_labels: 'contacts',
  contact_attributes: 'contacts',
  labels: 'labels',
  attributes: 'attributes',

  channels: 'channels',
  inbound: 'channels',
  mailboxes: 'channels',
  channel_tokens: 'channels',
  sandbox_outbox: 'channels',

  chats: 'chats',
  views: 'views',
  saved_replies: 'saved-replies',
  chat_tasks: 'chats',
  notes: 'notes',
  notifications: 'notifications',
  messages: 'messages',
  vendor_messages: 'messages',
  media_fetches: 'messages',

  files: 'files',
  file_removals: 'files',

  message_templates: 'templates',
  template_tasks: 'templates',

  automations: 'automations',
  automation_versions: 'automations',
  automation_runs: 'automations',
  run_trace: 'automations',
  run_replies: 'automations',
  automation_activations: 'automations',
  silenced_events: 'automations',
  automation_secrets: 'automations/secrets',

  segments: 'segments',
  campaigns: 'campaigns',
  recipients: 'campaigns',

  events: 'engine',
  tenant_counters: 'engine',
  workers: 'engine',
  shards: 'engine',
  held_rows: 'engine',

  webhooks: 'webhooks',
  webhook_events: 'webhooks',
  deliveries: 'webhooks',
  attempts: 'webhooks',

  imports: 'imports',
  import_issues: 'imports',

  chat_changes: 'reports',
  report_figures: 'reports',
  report_marks: 'reports',

  jobs: 'jobs',
  removals: 'jobs',

  migrations: 'db/migrate.ts',
};

/** Stands for a table whose name is only known at run time. */
export const DYNAMIC = '<dynamic>';

export interface Exception {
  /** A file of src. */
  file: string;
  table: string;
  reason: string;
}

/** Writes from elsewhere. An exception that is no longer needed fails the check too. */
export const exceptions: Exception[] = [
  {
    file: 'automations/runs/limit-runs.ts',
    table: 'tenant_counters',
    reason: 'runs_until is changed under the lock of numbering; the engine does not know the limits of plans',
  },
  ...['events', 'deliveries', 'attempts', 'silenced_events'].map((table) => ({
    file: 'jobs/removal-steps.ts',
    table,
    reason:
      'deletes the events of a deleted tenant together with what was sent of them, which has no index by tenant',
  })),
  {
    file: 'jobs/removal-steps.ts',
    table: DYNAMIC,
    reason:
      'deletes, a batch at a time, the rows of every table that belong to a deleted tenant, channel or contact',
  },
  {
    file: 'db/re-encrypt.ts',
    table: DYNAMIC,
    reason: 'encrypts the columns that rotate-key.ts lists with a new key',
  },
  {
    file: 'db/retention.ts',
    table: DYNAMIC,
    reason:
      'deletes expired rows from the default partitions of events, deliveries, attempts and audit entries',
  },
  {
    file: 'engine/queue.ts',
    table: DYNAMIC,
    reason:
      'holds due rows of every queue after a restore, and counts crashes of rows that ended their process',
  },
  {
    file: 'engine/test-clock/test-tenants.ts',
    table: 'tenants',
    reason: 'clock and clock_target belong to the engine, which cannot import access',
  },
  {
    file: 'messages/inbound/worker.ts',
    table: 'inbound',
    reason: 'the handler of the queue removes and postpones the rows that channels inserts',
  },
  {
    file: 'demo/fill-demo.ts',
    table: 'installation',
    reason: 'demo_filled_at belongs to the demo',
  },
  {
    file: 'demo/work-in-demo.ts',
    table: 'installation',
    reason: 'demo_replied_at belongs to the demo',
  },
];
