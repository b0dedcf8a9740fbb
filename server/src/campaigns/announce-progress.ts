import { createCache } from '../base/cache.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import type { PublishedEvent } from '../engine/outbox.ts';
import type { Consequences } from '../engine/sequencer.ts';
import { type CampaignRow, withCampaignCounts } from './campaign.ts';
import type { CampaignWithCounts } from './schema.ts';

const channelOfCampaign = statement<[id: string], { channel_id: string }>(
  'campaigns.channel',
  'select channel_id from visible_campaigns where id = $1 and tenant_id = $tenant',
);

/** A campaign is announced at most so often, and less often the longer it takes: counting its recipients reads all of them. */
const MIN_GAP_MS = 1_000;
const MAX_GAP_MS = 15_000;
const GAPS_PER_TIME = 30;
const MAX_CAMPAIGNS = 1_000;
/** After so long without an event, a campaign is as if it had just begun. */
const FORGOTTEN_MS = 600_000;

/** Tells open streams that a campaign has changed. */
export const announceCampaign = (
  tx: Pick<TenantTx, 'announce'>,
  { id, channel_id: channelId }: Pick<CampaignRow, 'id' | 'channel_id'>,
): void => tx.announce({ type: 'campaign.progressed', channelId, id });

/** The data of `campaign.progressed`, by the ids of campaigns. */
export async function loadProgress(
  reader: TenantReader,
  ids: string[],
): Promise<ReadonlyMap<string, CampaignWithCounts>> {
  const found = new Map<string, CampaignWithCounts>();
  for (const id of ids) {
    const campaign = await withCampaignCounts(reader, id);
    if (campaign) found.set(id, campaign);
  }
  return found;
}

/** Subscriber of events: tells open streams how campaigns proceed, at most once a second for each. */
export function createProgressAnnouncer({ db }: { db: Database }) {
  /** When the process first heard of the campaign, and whether it is about to be announced. */
  const known = createCache<string, { since: number; isWaiting: boolean }>(MAX_CAMPAIGNS, {
    ttl: FORGOTTEN_MS,
  });

  async function announce(tenantId: string, id: string): Promise<void> {
    const tenant = db.forTenant(tenantId);
    const campaign = await tenant.find(channelOfCampaign, [id]);
    if (campaign) announceCampaign(tenant.autocommit, { id, ...campaign });
  }

  function noteProgress(tenantId: string, id: string): void {
    const now = performance.now();
    const { since, isWaiting } = known.get(id) ?? { since: now, isWaiting: false };
    if (isWaiting) return;
    known.set(id, { since, isWaiting: true });
    const gapMs = Math.min(MAX_GAP_MS, Math.max(MIN_GAP_MS, (now - since) / GAPS_PER_TIME));
    setTimeout(() => {
      known.set(id, { since, isWaiting: false });
      // It may be missed: the next one shows as much.
      announce(tenantId, id).catch(() => {});
    }, gapMs).unref();
  }

  return async (tx: TenantTx, events: PublishedEvent[]): Promise<Consequences> => {
    const ids = new Set(events.flatMap(({ facts }) => (facts?.campaignId as string | undefined) ?? []));
    const { tenantId } = tx;
    return {
      rows: 0,
      write: () => {
        if (ids.size > 0)
          tx.afterCommit(() => {
            for (const id of ids) noteProgress(tenantId, id);
          });
      },
    };
  };
}
