import { recordConsents } from '../../contacts/consent/consents.ts';
import { findOwners, keyOf } from '../../contacts/handles/owners.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundConsent } from '../../providers/inbound-event.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { notAhead } from './not-ahead.ts';
import { normalizeHandle } from './resolve-chats.ts';

/** Records who opted out or in at the vendor, once per contact. A handle that no contact has was never written to. */
export async function receiveConsents(
  tx: TenantTx,
  kind: ChannelKind,
  consents: readonly InboundConsent[],
): Promise<void> {
  const given = consents.map((consent) => ({ ...consent, handles: consent.handles.map(normalizeHandle) }));
  const owners = await findOwners(
    tx,
    given.flatMap(({ handles }) => handles),
  );
  const changes = given.flatMap(({ handles, subscription, source, occurredAt, proof }) => {
    const contactIds = new Set(handles.flatMap((handle) => owners.get(keyOf(handle)) ?? []));
    const status = subscription === 'stop' ? ('unsubscribed' as const) : ('subscribed' as const);
    const at = notAhead(occurredAt, tx.now);
    return [...contactIds].map((contactId) => ({
      contactId,
      channelKinds: [kind],
      status,
      source,
      at,
      proof,
    }));
  });
  tx.publish(...(await recordConsents(tx, changes)));
}
