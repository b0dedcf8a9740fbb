import { createSegment, type Segment, updateSegment } from '@parley/sdk';
import { type FormEvent, useId, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { isShownByFields, issueOf } from '../../api/errors.ts';
import { contactFilters, EVERYBODY } from '../../contact-filter/contact-filters.ts';
import { useContactFields } from '../../contact-filter/use-contact-fields.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { AudienceSize } from './audience-size.tsx';
import styles from './campaigns.module.css';
import { SEGMENTS_KEY } from './data.ts';

interface SegmentDialogProps {
  segment?: Segment | undefined;
  /** A filter to begin with. */
  query?: string;
  onClose: () => void;
  onDone: (segment: Segment) => void;
}

/** Gives a filter a name, or changes both. */
export function SegmentDialog({ segment, query = '', onClose, onDone }: SegmentDialogProps) {
  const t = useText();
  const id = useId();
  const fields = useContactFields();
  const [name, setName] = useState(segment?.name ?? '');
  const [filter, setFilter] = useState(segment?.query ?? query);
  const save = useWrite(
    () => {
      const body = { name: name.trim(), query: filter || EVERYBODY };
      return segment
        ? updateSegment(client, { path: { segmentId: segment.id }, body })
        : createSegment(client, { body });
    },
    { invalidates: [SEGMENTS_KEY], done: 'saved', showsError: true, onSuccess: onDone },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      title={segment ? segment.name : t('campaigns.newSegment')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={id} look="primary" isBusy={save.isPending}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <div className={styles.people}>
        <form id={id} onSubmit={submit}>
          <TextField
            label={t('campaigns.name')}
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={issueOf(save.error, 'name')}
            maxLength={100}
            autoComplete="off"
            autoFocus
            required
          />
        </form>
        {/* The filter has forms of its own. */}
        <FilterBar
          texts={contactFilters}
          fields={fields}
          filter={filter === EVERYBODY ? '' : filter}
          error={save.error}
          example="eq(isSubscribed,true)"
          onChange={setFilter}
        />
        <AudienceSize query={filter || EVERYBODY} />
        {save.error && !isShownByFields(save.error, ['name', 'query']) ? (
          <ErrorNotice error={save.error} />
        ) : null}
      </div>
    </Dialog>
  );
}
