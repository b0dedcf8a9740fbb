import { ParleyError } from '@parley/sdk';
import { useId, useState } from 'react';
import { issueOf, issueWithin } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { ErrorNotice } from '../ui/notices.tsx';
import { Section } from '../ui/page.tsx';
import { DateList } from './dates.tsx';
import {
  type BusinessMode,
  type Hours,
  type HoursDraft,
  isComplete,
  type QuietMode,
  readHours,
  writeHours,
} from './draft.ts';
import styles from './hours.module.css';
import { HoursNow, useHoursNow } from './hours-now.tsx';
import { WeekTable } from './week.tsx';

interface HoursEditorProps {
  hours: Hours;
  /** The channel whose hours these are; without it those of the tenant. */
  channelId?: string;
  canWrite: boolean;
  save: {
    mutate: (hours: Hours, options: { onError: () => void }) => void;
    isPending: boolean;
    error: unknown;
  };
}

/** Business hours and quiet hours. What they mean now is said while they are edited. */
export function HoursEditor({ hours, channelId, canWrite, save }: HoursEditorProps) {
  const t = useText();
  const isChannel = channelId !== undefined;
  const [draft, setDraft] = useState(() => readHours(hours, isChannel));
  const [isTouched, setIsTouched] = useState(false);
  const change = (part: Partial<HoursDraft>): void => {
    setDraft({ ...draft, ...part });
    setIsTouched(true);
  };
  const edited = writeHours(draft, isChannel);
  const now = useHoursNow(edited, channelId, isComplete(draft));
  const error = save.error ?? now.error;
  const errorAt = (path: string): string | undefined => issueWithin(error, path);
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        setIsTouched(false);
        save.mutate(edited, { onError: () => setIsTouched(true) });
      }}
    >
      <fieldset className={styles.whole} disabled={!canWrite}>
        <Section
          title={t('hours.business')}
          text={t(isChannel ? 'hours.businessOfChannel' : 'hours.businessText')}
        >
          <HoursNow state={now.data} part="business" />
          <div className={styles.field}>
            <SelectField<BusinessMode>
              label={t('hours.open')}
              value={draft.mode}
              options={[
                ...(isChannel ? [{ value: 'inherited' as const, label: t('hours.inherited') }] : []),
                { value: 'always', label: t('hours.always') },
                { value: 'week', label: t('hours.week') },
              ]}
              onChange={(mode) => change({ mode })}
            />
          </div>
          {draft.mode === 'week' && (
            <>
              <WeekTable week={draft.week} errorAt={errorAt} onChange={(week) => change({ week })} />
              <DateList dates={draft.dates} errorAt={errorAt} onChange={(dates) => change({ dates })} />
              <ZoneField
                help={t('hours.zoneHelp')}
                value={draft.timezone}
                error={issueOf(error, 'businessHours.timezone')}
                onChange={(timezone) => change({ timezone })}
              />
            </>
          )}
        </Section>
        <Section title={t('hours.quiet')} text={t(isChannel ? 'hours.quietOfChannel' : 'hours.quietText')}>
          <HoursNow state={now.data} part="quiet" />
          <div className={styles.field}>
            <SelectField<QuietMode>
              label={t('hours.quiet')}
              value={draft.quietMode}
              options={[
                ...(isChannel ? [{ value: 'inherited' as const, label: t('hours.inherited') }] : []),
                { value: 'none', label: t('hours.quietNone') },
                { value: 'daily', label: t('hours.quietDaily') },
              ]}
              onChange={(quietMode) => change({ quietMode })}
            />
          </div>
          {draft.quietMode === 'daily' && (
            <>
              <div className={styles.pair}>
                {(['quietFrom', 'quietTo'] as const).map((name) => (
                  <TextField
                    key={name}
                    label={t(`hours.${name}`)}
                    type="time"
                    value={draft[name]}
                    error={errorAt(name === 'quietFrom' ? 'quietHours.from' : 'quietHours.to')}
                    onChange={(event) => change({ [name]: event.target.value })}
                    required
                  />
                ))}
              </div>
              <ZoneField
                help={t('hours.quietZoneHelp')}
                value={draft.quietTimezone}
                error={issueOf(error, 'quietHours.timezone')}
                onChange={(quietTimezone) => change({ quietTimezone })}
              />
            </>
          )}
          {save.error && !(save.error instanceof ParleyError && save.error.issues.length > 0) ? (
            <ErrorNotice error={save.error} />
          ) : null}
          {canWrite && (
            <Button type="submit" look="primary" isBusy={save.isPending} disabled={!isTouched}>
              {t('action.save')}
            </Button>
          )}
        </Section>
      </fieldset>
    </form>
  );
}

interface ZoneFieldProps {
  help: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function ZoneField({ help, value, error, onChange }: ZoneFieldProps) {
  const t = useText();
  const id = useId();
  return (
    <div className={styles.field}>
      <TextField
        label={t('tenant.timezone')}
        help={help}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error}
        maxLength={64}
        autoComplete="off"
        list={id}
      />
      <datalist id={id}>
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
