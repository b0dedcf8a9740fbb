import {
  type CampaignPreview,
  type CampaignWithCounts,
  type PreviewCampaignBody,
  previewCampaign,
} from '@parley/sdk';
import { client, useRead } from '../../../api/api.ts';
import { textIn } from '../../../api/content.ts';
import { useText, useTranslator } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import { Loaded, Warning } from '../../../ui/notices.tsx';
import { useReason } from '../reasons.ts';
import { Bubble } from './bubble.tsx';
import { type Step, type StepIssue, stepIssues } from './issues.ts';
import { TestSend } from './test-send.tsx';
import type { Draft } from './use-draft.ts';
import styles from './wizard.module.css';

/** The body of a preview: what the campaign would be if it were created now. */
function bodyOf(campaign: CampaignWithCounts): PreviewCampaignBody {
  const { channelId, name, purpose, closeChats, timezone, message, automationId } = campaign;
  const { segmentId, audience, variables, messageTemplateId, templateHeader, scheduledAt } = campaign;
  return {
    channelId,
    name,
    purpose,
    closeChats,
    timezone,
    ...(message === null ? { variables, ...(automationId === null ? {} : { automationId }) } : { message }),
    ...(messageTemplateId === null ? {} : { messageTemplateId }),
    ...(templateHeader === null ? {} : { templateHeader }),
    ...(segmentId === null ? (audience === null ? {} : { audience }) : { segmentId }),
    // A time that has passed means now.
    ...(scheduledAt === null || Date.parse(scheduledAt) <= Date.now() ? {} : { scheduledAt }),
    ...(campaign.recurrenceRules.length === 0 ? {} : { recurrenceRules: campaign.recurrenceRules }),
  };
}

/** Counts again whenever it is opened: contacts and segments change without the campaign. */
export const usePreview = (campaign: CampaignWithCounts, enabled = true) => {
  const body = bodyOf(campaign);
  return useRead(['campaigns', 'preview', body], (signal) => previewCampaign(client, { body, signal }), {
    enabled,
    freshMs: 0,
  });
};

interface CheckProps {
  draft: Draft;
  preview: ReturnType<typeof usePreview>;
  onStep: (step: Step) => void;
}

/** What would happen now: whom it reaches, whom it skips and why, and the messages themselves. */
export function Check({ draft, preview, onStep }: CheckProps) {
  const issues = stepIssues(preview.error);
  if (!preview.data && issues.length > 0) return <Issues issues={issues} onStep={onStep} />;
  return (
    <Loaded query={preview} lines={6}>
      {(data) => (
        <>
          <Reach preview={data} />
          <Samples preview={data} />
          <TestSend draft={draft} />
        </>
      )}
    </Loaded>
  );
}

/** What must be changed first, and where. */
function Issues({ issues, onStep }: { issues: readonly StepIssue[]; onStep: (step: Step) => void }) {
  const t = useText();
  return (
    <>
      {issues.map(({ step, parameter, message }) => (
        <Warning
          key={parameter}
          action={
            <Button onClick={() => onStep(step)}>
              {t('campaigns.goTo', { step: t(`campaigns.step.${step}`) })}
            </Button>
          }
        >
          {parameter === 'message'
            ? t('campaigns.nothingToSend')
            : `${t(`campaigns.step.${step}`)}: ${message}`}
        </Warning>
      ))}
    </>
  );
}

function Reach({ preview }: { preview: CampaignPreview }) {
  const { t, formatNumber, formatDate } = useTranslator();
  const reasonOf = useReason();
  const { matched, matchedIsCapped, examined, sendable, skipped, estimatedMinutes, quietHours } = preview;
  const shown = (at: string): string => formatDate(new Date(at), 'dateTime');
  const isPart = examined < matched;
  return (
    <section className={styles.reach} aria-label={t('campaigns.reach')}>
      {matched === 0 && <Warning>{t('campaigns.nobodyMatches')}</Warning>}
      <dl className={styles.figures}>
        <div>
          <dt>{t('campaigns.matched')}</dt>
          <dd>
            {formatNumber(matched)}
            {matchedIsCapped && '+'}
          </dd>
        </div>
        <div>
          <dt>{t('campaigns.sendable')}</dt>
          <dd>{formatNumber(sendable)}</dd>
        </div>
        <div>
          <dt>{t('campaigns.skipped')}</dt>
          <dd>{formatNumber(examined - sendable)}</dd>
        </div>
        <div>
          <dt>{t('campaigns.duration')}</dt>
          <dd>
            {t(matchedIsCapped ? 'campaigns.minutesAtLeast' : 'campaigns.minutes', {
              count: Math.max(1, estimatedMinutes),
            })}
          </dd>
        </div>
      </dl>
      {isPart && <p className={styles.help}>{t('campaigns.examined', { examined })}</p>}
      {quietHours && (
        <p>
          {t('campaigns.quiet', {
            count: quietHours.recipients,
            from: shown(quietHours.from),
            until: shown(quietHours.until),
          })}
        </p>
      )}
      {examined > sendable && (
        <ul className={styles.skipped}>
          {Object.entries(skipped).map(([reason, count]) => (
            <li key={reason}>
              <strong>{formatNumber(count)}</strong> {reasonOf(reason)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Samples({ preview: { samples } }: { preview: CampaignPreview }) {
  const t = useText();
  const reasonOf = useReason();
  if (samples.length === 0) return null;
  return (
    <section className={styles.column} aria-label={t('campaigns.samples')}>
      <h2>{t('campaigns.samples')}</h2>
      <ul className={styles.samples}>
        {samples.map(({ contactId, displayName, messages, error }) => (
          <li key={contactId} className={styles.sample}>
            <p className={styles.sampleName} dir="auto">
              {displayName}
            </p>
            {messages.map((message) => (
              <Bubble
                key={message.id}
                title={textIn(message.content, 'subject') ?? textIn(message.content, 'header', 'text')}
                file={message.media[0] && (message.media[0].filename ?? t('message.type.document'))}
                text={message.text ?? ''}
                footer={textIn(message.content, 'footer')}
              />
            ))}
            {messages.length === 0 && (
              <p className={styles.error}>
                {error ? `${reasonOf(error.code)} (${error.message})` : reasonOf('nothing_sent')}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
