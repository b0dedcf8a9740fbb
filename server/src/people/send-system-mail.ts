import type { Logger } from 'pino';
import type { Keys } from '../base/crypto.ts';
import { decryptConfig } from '../channels/encrypted-config.ts';
import { noteSendResult } from '../channels/health.ts';
import type { Database } from '../db/database.ts';
import { isServerTrouble } from '../db/errors.ts';
import { statement, systemStatement } from '../db/statement.ts';
import { nextDueAt } from '../engine/retry.ts';
import type { Outcome } from '../engine/scheduler.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { replaceSecrets } from '../providers/hide-secrets.ts';
import type { OutgoingMessage, SendResult } from '../providers/outgoing-message.ts';
import { createMailedLink, type NewLink } from './links.ts';
import { findPersonByEmail } from './person.ts';
import { type SystemMailRow, systemMailsQueue } from './queues.ts';

const deleteMail = statement<[id: string, attempts: number]>(
  'system_mails.delete',
  'delete from system_mails where id = $1 and tenant_id = $tenant and attempts = $2',
);
const postponeMail = statement<[id: string, attempts: number, dueAt: Date]>(
  'system_mails.postpone',
  `update system_mails set attempts = attempts + 1, due_at = $3
    where id = $1 and tenant_id = $tenant and attempts = $2`,
);
const invitedUser = systemStatement<
  [userId: string | null, tenantId: string | null],
  { email: string; tenant_name: string }
>(
  'system_mails.invited_user',
  `select u.email, t.name as tenant_name from users u join visible_tenants t on t.id = u.tenant_id
    where u.id = $1 and u.tenant_id = $2 and u.person_id is null`,
);

interface SystemMailDeps {
  db: Database;
  keys: Keys;
  log: Logger;
  adapters: Adapters;
  context: AdapterContext;
  baseUrl: () => string;
}

interface Letter {
  to: string;
  subject: string;
  /** The text around the link. */
  before: string;
  after: string;
  link: NewLink;
}

const IGNORE = 'If you did not expect this mail, ignore it.';

/** Sends a mail with a new link, or drops it if nobody needs it any more. */
export async function sendSystemMail(deps: SystemMailDeps, [row]: SystemMailRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  const tenant = deps.db.forTenant(row.tenant_id);
  const letter = await letterOf(deps.db, row);
  const result = letter ? await send(deps, row, letter) : undefined;
  if (result) await noteSendResult(tenant, { id: row.channel_id, health: row.health }, result, deps.log);
  if (!result || result.ok) {
    await tenant.run(deleteMail, [row.id, row.attempts]);
    return 'ok';
  }
  const { tenant_id: tenantId, channel_id: channelId, attempts } = row;
  // The code only: messages of relays quote addresses.
  deps.log.warn(
    { tenantId, channelId, attempts, code: result.error.code },
    'a mail with a link was not sent',
  );
  const canRetry = result.retry === 'backoff' || result.retry === 'reauth' || result.retry === 'unknown';
  const dueAt = canRetry ? nextDueAt(systemMailsQueue.retry, attempts + 1, tenant.now) : null;
  if (dueAt) await tenant.run(postponeMail, [row.id, attempts, dueAt]);
  else await tenant.run(deleteMail, [row.id, attempts]);
  return dueAt ? 'failing' : 'ok';
}

/** What is written to whom; undefined if the user or the person does not exist, or the invitation was accepted. */
async function letterOf(db: Database, row: SystemMailRow): Promise<Letter | undefined> {
  if (row.mail === 'invitation') {
    const user = await db.find(invitedUser, [row.user_id, row.user_tenant_id]);
    return (
      user && {
        to: user.email,
        subject: `Your invitation to ${user.tenant_name}`,
        before: `You are invited to answer the customers of ${user.tenant_name}. Open this link to log in for the first time. It works once, for seven days:`,
        after: IGNORE,
        link: { kind: 'invitation', tenant_id: row.user_tenant_id, user_id: row.user_id },
      }
    );
  }
  const person = await findPersonByEmail(db, row.email);
  return (
    person && {
      to: person.email,
      subject: 'Your new password',
      before:
        'Somebody asked for a new password for this address. Open this link to set one. It works once, for a day:',
      after: `${IGNORE} Your password stays as it is.`,
      link: { kind: 'reset', person_id: person.id },
    }
  );
}

async function send(deps: SystemMailDeps, row: SystemMailRow, letter: Letter): Promise<SendResult> {
  const adapter = deps.adapters.get(row.provider);
  if (!adapter)
    return { ok: false, error: { code: 'provider_missing', message: row.provider }, retry: 'never' };
  const { url } = await createMailedLink(deps.db, letter.link, deps.baseUrl());
  const message: OutgoingMessage = {
    id: row.id,
    to: { type: 'email', value: letter.to },
    type: 'email',
    text: `${letter.before}\n\n${url}\n\n${letter.after}\n`,
    media: [],
    content: { subject: letter.subject },
    template: null,
    replyToVendorId: null,
    references: [],
    isAutomatic: true,
  };
  const channel = {
    id: row.channel_id,
    tenantId: row.tenant_id,
    kind: row.kind,
    address: row.address,
    config: decryptConfig(row.config_encrypted, deps.keys),
  };
  try {
    return withoutLink(await adapter.send(message, channel, deps.context), url);
  } catch (error) {
    if (isServerTrouble(error)) throw error;
    return {
      ok: false,
      error: { code: 'send_failed', message: 'The relay could not be called.' },
      retry: 'backoff',
    };
  }
}

/** Filters of relays quote the links of a mail that they refuse. The channel shows to others why it fails. */
function withoutLink(result: SendResult, url: string): SendResult {
  if (result.ok) return result;
  const secrets = [url, url.slice(url.indexOf('#') + 1)];
  const { code, message } = result.error;
  return {
    ...result,
    error: { code: replaceSecrets(code, secrets), message: replaceSecrets(message, secrets) },
  };
}
