import { useState } from 'react';
import { issueWithin } from '../../../api/errors.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Choices } from '../../../ui/choices.tsx';
import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { issueAt } from './issues.ts';
import { Options } from './options.tsx';
import { useDayName } from './rule-text.ts';
import { DAYS, type Day, FREQUENCIES, fromLocal, type Rule, readRule, toLocal, writeRule } from './times.ts';
import type { Draft } from './use-draft.ts';
import styles from './wizard.module.css';

type Kind = 'now' | 'once' | 'recurring';
const HOUR_MS = 3600_000;

const zones = (chosen: string): { value: string; label: string }[] =>
  [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }));

/** The next full hour but one, which leaves time to change one's mind. */
const soon = (): string => new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS).toISOString();

/** When it is sent, and what happens to the chats. */
export function When({ draft, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const { campaign, change } = draft;
  const isRecurring = campaign.recurrenceRules.length > 0;
  const kind: Kind = isRecurring ? 'recurring' : campaign.scheduledAt === null ? 'now' : 'once';
  const choose = (next: Kind): void => {
    if (next === 'now') change({ scheduledAt: null, recurrenceRules: [] });
    else
      change({
        scheduledAt: campaign.scheduledAt ?? soon(),
        recurrenceRules:
          next === 'once' ? [] : writeRule({ frequency: 'WEEKLY', days: [], count: undefined }),
      });
  };
  const time = <TimeFields draft={draft} error={error} />;
  return (
    <>
      <Options<Kind>
        label={t('campaigns.whenTitle')}
        value={kind}
        onChange={choose}
        options={[
          { value: 'now', label: t('campaigns.now'), help: t('campaigns.nowHelp') },
          { value: 'once', label: t('campaigns.once'), content: time },
          {
            value: 'recurring',
            label: t('campaigns.recurringly'),
            help: t('campaigns.recurringlyHelp'),
            content: (
              <>
                {time}
                <RuleFields draft={draft} error={error} />
              </>
            ),
          },
        ]}
      />
      <Choices
        label={t('campaigns.inbox')}
        options={[{ value: 'closed', label: t('campaigns.closeChats') }]}
        chosen={campaign.closeChats ? ['closed'] : []}
        onChange={(chosen) => change({ closeChats: chosen.length > 0 })}
      />
    </>
  );
}

function TimeFields({ draft: { campaign, change }, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const { scheduledAt, timezone } = campaign;
  // What is typed may not be a time yet.
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (scheduledAt === null ? '' : toLocal(scheduledAt, timezone));
  const setTime = (local: string, zone: string): void => {
    const at = fromLocal(local, zone);
    setTyped(at === undefined ? local : undefined);
    change({ timezone: zone, ...(at === undefined ? {} : { scheduledAt: at }) });
  };
  const isPast = scheduledAt !== null && Date.parse(scheduledAt) <= Date.now();
  return (
    <div className={styles.pair}>
      <TextField
        type="datetime-local"
        label={t('campaigns.at')}
        value={shown}
        onChange={(event) => setTime(event.target.value, timezone)}
        error={issueAt(error, 'scheduledAt') ?? (isPast ? t('campaigns.past') : undefined)}
        required
      />
      <SelectField
        label={t('campaigns.timezone')}
        value={timezone}
        options={zones(timezone)}
        onChange={(zone) => setTime(shown, zone)}
        error={issueAt(error, 'timezone')}
      />
    </div>
  );
}

function RuleFields({ draft: { campaign, change }, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const nameOf = useDayName();
  const rule = readRule(campaign.recurrenceRules);
  const issue = issueWithin(error, 'recurrenceRules');
  if (!rule)
    return (
      <TextArea
        label={t('campaigns.rules')}
        help={t('campaigns.rulesHelp')}
        value={campaign.recurrenceRules.join('\n')}
        onChange={(event) => change({ recurrenceRules: event.target.value.split('\n').filter(Boolean) })}
        error={issue}
      />
    );
  const set = (next: Partial<Rule>): void => change({ recurrenceRules: writeRule({ ...rule, ...next }) });
  return (
    <div className={styles.column}>
      <div className={styles.pair}>
        <SelectField
          label={t('campaigns.often')}
          value={rule.frequency}
          options={FREQUENCIES.map((value) => ({ value, label: t(`campaigns.every.${value}`) }))}
          onChange={(frequency) => set({ frequency, days: [] })}
          error={issue}
        />
        <TextField
          type="number"
          min={1}
          max={9999}
          label={t('campaigns.ends')}
          help={t('campaigns.endsHelp')}
          value={rule.count ?? ''}
          onChange={(event) =>
            set({
              count:
                event.target.value === '' ? undefined : Math.max(1, Math.trunc(Number(event.target.value))),
            })
          }
        />
      </div>
      {rule.frequency === 'WEEKLY' && (
        <Choices
          label={t('campaigns.days')}
          options={DAYS.map((day) => ({ value: day, label: nameOf(day) }))}
          chosen={rule.days}
          onChange={(days) => set({ days: DAYS.filter((day) => days.includes(day)) as Day[] })}
        />
      )}
    </div>
  );
}
