import { countSegment, deleteSegment, type Segment, searchCampaigns } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { useIsDeleted } from '../../live/deleted.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DeletedDialog } from '../../ui/deleted.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { useFilterText } from './audience-text.ts';
import styles from './campaigns.module.css';
import { CAMPAIGNS_KEY, COUNTS_KEY, SEGMENTS_KEY, USES_KEY, useSegments } from './data.ts';
import { ListFrame } from './frame.tsx';
import { SegmentDialog } from './segment-dialog.tsx';

/** Saved filters of contacts: everybody who matches when a campaign starts. */
export function Segments() {
  const t = useText();
  const canWrite = useScope('contacts:write');
  const segments = useSegments();
  const [edited, setEdited] = useState<Segment | 'new'>();
  const [removed, setRemoved] = useState<Segment>();
  const isDeleted = useIsDeleted(edited === 'new' ? undefined : edited?.id);
  useKeys(canWrite ? [{ keys: 'n', label: t('campaigns.newSegment'), run: () => setEdited('new') }] : []);
  const create = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      {t('campaigns.newSegment')}
    </Button>
  );
  return (
    <ListFrame tab="segments" actions={create}>
      <Loaded query={segments}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="people" title={t('campaigns.noSegments')} action={create}>
              {t('campaigns.noSegmentsText')}
            </EmptyState>
          ) : (
            <SegmentTable segments={rows} onEdit={setEdited} onRemove={setRemoved} />
          )
        }
      </Loaded>
      {isDeleted && <DeletedDialog name={(edited as Segment).name} onClose={() => setEdited(undefined)} />}
      {edited && !isDeleted && (
        <SegmentDialog
          segment={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onDone={() => setEdited(undefined)}
        />
      )}
      {removed && <RemoveDialog segment={removed} onClose={() => setRemoved(undefined)} />}
    </ListFrame>
  );
}

/** The campaigns that use segments, by the segment. */
function useUses() {
  const { data } = useRead(
    USES_KEY,
    (signal) =>
      searchCampaigns(client, {
        body: { query: 'not(isNull(segmentId))', pagination: { limit: 100 } },
        signal,
      }),
    { enabled: useScope('campaigns:read') },
  );
  return (segmentId: string) => data?.items.filter((campaign) => campaign.segmentId === segmentId) ?? [];
}

interface SegmentTableProps {
  segments: readonly Segment[];
  onEdit: (segment: Segment) => void;
  onRemove: (segment: Segment) => void;
}

function SegmentTable({ segments, onEdit, onRemove }: SegmentTableProps) {
  const t = useText();
  const describe = useFilterText();
  const usesOf = useUses();
  const actions = useRowActions<Segment>(useScope('contacts:write'), {
    nameOf: ({ name }) => name,
    itemsOf: (segment) => [
      { id: 'edit', label: t('action.edit'), icon: 'edit', run: () => onEdit(segment) },
      {
        id: 'remove',
        label: t('action.delete'),
        icon: 'trash',
        isDanger: true,
        run: () => onRemove(segment),
      },
    ],
  });
  return (
    <Table<Segment>
      label={t('campaigns.segments')}
      rows={segments}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: t('campaigns.name'),
          cell: ({ name, query }) => (
            <div className={styles.name}>
              <Link
                to="/contacts"
                search={{ filter: query } as never}
                className={styles.link}
                title={t('campaigns.showContacts')}
                dir="auto"
              >
                {name}
              </Link>
              <span className={styles.meta}>{describe(query)}</span>
            </div>
          ),
        },
        { id: 'count', title: t('campaigns.people'), align: 'end', cell: (row) => <Count segment={row} /> },
        {
          id: 'uses',
          title: t('campaigns.usedBy'),
          isExtra: true,
          cell: ({ id }) =>
            usesOf(id).length === 0
              ? '–'
              : usesOf(id).map((campaign, index) => (
                  <span key={campaign.id}>
                    {index > 0 && ', '}
                    <Link to={`/campaigns/${campaign.id}`} dir="auto">
                      {campaign.name}
                    </Link>
                  </span>
                )),
        },
        ...actions,
      ]}
    />
  );
}

function Count({ segment }: { segment: Segment }) {
  const { formatNumber } = useTranslator();
  const count = useRead([...COUNTS_KEY, segment.id, segment.query], (signal) =>
    countSegment(client, { path: { segmentId: segment.id }, signal }),
  );
  return count.data ? `${formatNumber(count.data.total)}${count.data.totalIsCapped ? '+' : ''}` : '–';
}

/** A segment that a campaign uses is deleted only by those who insist: the campaign then keeps its filter. */
function RemoveDialog({ segment, onClose }: { segment: Segment; onClose: () => void }) {
  const t = useText();
  const [isUsed, setIsUsed] = useState(false);
  const remove = useWrite(
    () =>
      deleteSegment(client, {
        path: { segmentId: segment.id },
        ...(isUsed ? { query: { force: true } } : {}),
      }).catch((error) => {
        setIsUsed(statusOf(error) === 409);
        throw error;
      }),
    { invalidates: [SEGMENTS_KEY, CAMPAIGNS_KEY], done: 'deleted', showsError: true, onSuccess: onClose },
  );
  return (
    <ConfirmDialog
      title={t('campaigns.removeSegment', { name: segment.name })}
      text={t('campaigns.removeSegmentText')}
      action={t(isUsed ? 'action.deleteAnyway' : 'action.delete')}
      write={remove}
      onClose={onClose}
    />
  );
}
