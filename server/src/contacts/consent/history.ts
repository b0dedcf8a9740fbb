import type { Static } from 'typebox';
import { ApiError, invalidParam } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { timestamp } from '../../http/schema.ts';
import { channelKinds } from '../../providers/kinds.ts';
import type { Searchable } from '../../search/fields.ts';
import type { SearchSource } from '../../search/source.ts';
import { requireContact } from '../contact.ts';
import type { Contact } from '../schema.ts';
import { recordConsents } from './consents.ts';
import { type Consent, consentSources, type NewConsent } from './schema.ts';

export interface ConsentRow {
  id: string;
  contact_id: string;
  channel_kind: Consent['channelKind'];
  status: Consent['status'];
  source: Consent['source'];
  proof: Record<string, unknown> | null;
  at: Date;
  created_at: Date;
}

export const consentFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'c.id' },
    contactId: { type: 'uuid', sql: 'c.contact_id' },
    channelKind: { type: 'enum', sql: 'c.channel_kind', values: channelKinds },
    status: { type: 'enum', sql: 'c.status', values: ['subscribed', 'unsubscribed'] },
    source: { type: 'enum', sql: 'c.source', values: consentSources },
    at: { type: 'time', sql: 'c.at' },
    createdAt: { type: 'time', sql: 'c.created_at' },
  },
  names: [],
  id: 'c.id',
};

export const CONSENT_COLUMNS =
  'c.id, c.contact_id, c.channel_kind, c.status, c.source, c.proof, c.at, c.created_at';

export const consentSource = (contactId: string): SearchSource => ({
  select: CONSENT_COLUMNS,
  from: 'visible_consents c',
  tenantColumn: 'c.tenant_id',
  where: (bind) => `c.contact_id = ${bind(contactId)}::uuid`,
});

export const presentConsent = (row: ConsentRow): Consent => ({
  id: row.id,
  contactId: row.contact_id,
  channelKind: row.channel_kind,
  status: row.status,
  source: row.source,
  at: timestamp(row.at),
  proof: row.proof,
  createdAt: timestamp(row.created_at),
});

const MAX_PROOF_CHARACTERS = 4_096;

/** Records a decision that somebody made elsewhere, with its proof. */
export async function addConsent(
  tx: TenantTx,
  contactId: string,
  { channelKinds: kinds = [...channelKinds], status, at: given, proof = null }: Static<typeof NewConsent>,
): Promise<Contact> {
  const at = given === undefined ? ('now' as const) : new Date(given);
  if (at !== 'now' && at > tx.now) throw invalidParam('at', 'custom', 'Must not be in the future');
  if (JSON.stringify(proof).length > MAX_PROOF_CHARACTERS)
    throw invalidParam('proof', 'too_big', `Must have at most ${MAX_PROOF_CHARACTERS} characters of JSON`);
  if (!isUuid(contactId)) throw new ApiError('contact_not_found');
  await requireContact(tx, contactId);
  const change = {
    contactId: contactId.toLowerCase(),
    channelKinds: kinds,
    status,
    source: 'api',
    at,
    proof,
  } as const;
  tx.publish(...(await recordConsents(tx, [change])));
  return requireContact(tx, contactId);
}
