import { recordConsents } from '../../contacts/consent/consents.ts';
import { findOwners, keyOf } from '../../contacts/handles/owners.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundConsent } from '../../providers/inbound-event.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { notAhead } from './not-ahead.ts';
import { normalizeHandle } from './resolve-chats.ts';

/** Records who opted out or in at the vendor. A handle that no contact has was never written to. */
export async function receiveConsents(
  tx: TenantTx,
  kind: ChannelKind,
  consents: readonly InboundConsent[],
): Promise<void> {
  const given = consents.map((consent) => ({ ...consent, handle: normalizeHandle(consent.handle) }));
  const owners = await findOwners(
    tx,
    given.map(({ handle }) => handle),
  );
  const changes = given.flatMap(({ handle, subscription, source, occurredAt, proof }) => {
    const contactId = owners.get(keyOf(handle));
    const status = subscription === 'stop' ? ('unsubscribed' as const) : ('subscribed' as const);
    return contactId === undefined
      ? []
      : [{ contactId, channelKinds: [kind], status, source, at: notAhead(occurredAt, tx.now), proof }];
  });
  tx.publish(...(await recordConsents(tx, changes)));
}
