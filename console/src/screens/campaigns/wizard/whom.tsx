import { useRef, useState } from 'react';
import { useScope } from '../../../api/session.tsx';
import { contactFilters, EVERYBODY } from '../../../contact-filter/contact-filters.ts';
import { useContactFields } from '../../../contact-filter/use-contact-fields.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FilterBar } from '../../../ui/filter-bar.tsx';
import { Warning } from '../../../ui/notices.tsx';
import { AudienceSize } from '../audience-size.tsx';
import { useSegments } from '../data.ts';
import { totalOf } from '../progress.tsx';
import { SegmentDialog } from '../segment-dialog.tsx';
import { ByFile } from './by-file.tsx';
import { issueAt } from './issues.ts';
import { Options } from './options.tsx';
import type { Draft } from './use-draft.ts';
import styles from './wizard.module.css';

type Kind = 'everybody' | 'filter' | 'segment' | 'file';

function kindOf({ audience, segmentId }: Draft['campaign']): Kind | undefined {
  if (segmentId !== null) return 'segment';
  if (audience === null) return undefined;
  return audience === EVERYBODY ? 'everybody' : 'filter';
}

/** Who gets the campaign. */
export function Whom({ draft, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const { campaign, change } = draft;
  const segments = useSegments().data ?? [];
  const canImport = useScope('contacts:write');
  // A filter without conditions matches everybody, so which of the two is meant is remembered here.
  const [chosen, setChosen] = useState<Kind>();
  const stored = kindOf(campaign);
  const kind = chosen === 'file' || (chosen === 'filter' && stored === 'everybody') ? chosen : stored;
  // Who looks at another kind and comes back finds the filter.
  const kept = useRef(EVERYBODY);
  const choose = (next: Kind): void => {
    setChosen(next);
    if (kind === 'filter') kept.current = campaign.audience ?? EVERYBODY;
    if (next === 'segment') {
      const [first] = segments;
      if (first) change({ segmentId: first.id, audience: null });
    } else if (next !== 'file')
      change({ audience: next === 'filter' ? kept.current : EVERYBODY, segmentId: null });
  };
  const given = totalOf(campaign.recipientCounts);
  return (
    <>
      <TextField
        label={t('campaigns.name')}
        value={campaign.name}
        onChange={(event) => change({ name: event.target.value })}
        error={issueAt(error, 'name')}
        maxLength={255}
        autoComplete="off"
        required
      />
      <Options<Kind>
        label={t('campaigns.whom')}
        value={kind}
        onChange={choose}
        options={[
          {
            value: 'everybody',
            label: t('campaigns.everybody'),
            help: t('campaigns.everybodyHelp'),
            content: <AudienceSize query={EVERYBODY} />,
          },
          {
            value: 'filter',
            label: t('campaigns.byFilter'),
            help: t('campaigns.byFilterHelp'),
            content: <ByFilter draft={draft} error={error} />,
          },
          {
            value: 'segment',
            label: t('campaigns.bySegment'),
            help: t(segments.length === 0 ? 'campaigns.bySegmentNone' : 'campaigns.bySegmentHelp'),
            content: <BySegment draft={draft} error={error} />,
          },
          ...(canImport
            ? [
                {
                  value: 'file' as const,
                  label: t('campaigns.byFile'),
                  help: t('campaigns.byFileHelp'),
                  content: <ByFile draft={draft} onDone={() => setChosen('filter')} />,
                },
              ]
            : []),
        ]}
      />
      {given > 0 && <Warning>{t('campaigns.given', { count: given })}</Warning>}
      <SelectField
        label={t('campaigns.purpose')}
        help={t('campaigns.purposeHelp')}
        value={campaign.purpose}
        options={[
          { value: 'marketing', label: t('campaigns.purpose.marketing') },
          { value: 'service', label: t('campaigns.purpose.service') },
        ]}
        onChange={(purpose) => change({ purpose })}
      />
    </>
  );
}

function ByFilter({ draft: { campaign, change }, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const fields = useContactFields();
  const canWrite = useScope('contacts:write');
  const [isSaving, setIsSaving] = useState(false);
  const audience = campaign.audience ?? EVERYBODY;
  const issue = issueAt(error, 'audience');
  return (
    <div className={styles.column}>
      <FilterBar
        texts={contactFilters}
        fields={fields}
        filter={audience === EVERYBODY ? '' : audience}
        error={undefined}
        example="eq(isSubscribed,true)"
        onChange={(filter) => change({ audience: filter || EVERYBODY, segmentId: null })}
      />
      {issue === undefined ? (
        <AudienceSize query={audience} />
      ) : (
        <p className={styles.error} role="alert">
          {issue}
        </p>
      )}
      {canWrite && audience !== EVERYBODY && issue === undefined && (
        <div>
          <Button look="quiet" icon="plus" onClick={() => setIsSaving(true)}>
            {t('campaigns.saveSegment')}
          </Button>
        </div>
      )}
      {isSaving && (
        <SegmentDialog
          query={audience}
          onClose={() => setIsSaving(false)}
          onDone={({ id }) => {
            setIsSaving(false);
            change({ segmentId: id, audience: null });
          }}
        />
      )}
    </div>
  );
}

function BySegment({ draft: { campaign, change }, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const segments = useSegments().data ?? [];
  const chosen = segments.find(({ id }) => id === campaign.segmentId);
  return (
    <div className={styles.column}>
      <SelectField
        label={t('campaigns.segment')}
        value={campaign.segmentId ?? ''}
        options={segments.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(segmentId) => change({ segmentId, audience: null })}
        error={issueAt(error, 'segmentId')}
      />
      <AudienceSize query={chosen?.query ?? null} />
    </div>
  );
}
