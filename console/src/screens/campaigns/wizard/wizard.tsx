import { type CampaignPreview, type CampaignWithCounts, setCampaignStatus } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { useText, useTranslator } from '../../../i18n/i18n.tsx';
import { useKeys } from '../../../keys/keys.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ErrorNotice, Warning } from '../../../ui/notices.tsx';
import { Page } from '../../../ui/page.tsx';
import { useCampaignActions } from '../actions.tsx';
import { storeCampaign } from '../data.ts';
import { Check, usePreview } from './check.tsx';
import { STEPS, type Step, stepIssues, stepOf } from './issues.ts';
import { contentKindOf } from './message.ts';
import { formatInZone } from './times.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { What } from './what.tsx';
import { When } from './when.tsx';
import { Whom } from './whom.tsx';
import styles from './wizard.module.css';

/** Where a draft is continued: at the first step that lacks something. */
function firstStep({ audience, segmentId, ...campaign }: CampaignWithCounts): Step {
  if (audience === null && segmentId === null) return 'whom';
  return contentKindOf(campaign) === undefined ? 'what' : 'when';
}

/** Prepares a campaign step by step. Everything is stored as it is typed, so it can be left at any time. */
export function Wizard({ campaign: stored }: { campaign: CampaignWithCounts }) {
  const t = useText();
  const navigate = useNavigate();
  const draft = useDraft(stored);
  const { campaign, flush } = draft;
  const address = useSearch({ strict: false }) as { step?: unknown };
  const [first] = useState(() => firstStep(campaign));
  const step = STEPS.find((one) => one === address.step) ?? first;
  const index = STEPS.indexOf(step);
  const preview = usePreview(campaign, step === 'check' && draft.isSaved);
  /** The campaign as it was when somebody wanted to start it. */
  const [toStart, setToStart] = useState<CampaignWithCounts>();
  const { itemsOf, dialogs } = useCampaignActions();
  const heading = useRef<HTMLHeadingElement>(null);
  const isDraft = campaign.status === 'draft';
  const canStart = step === 'check' && preview.data !== undefined && draft.isSaved;

  const go = (next: Step): void => {
    void flush();
    void navigate({ to: `/campaigns/${campaign.id}`, search: { step: next } as never });
  };
  const forward = (): void => {
    const next = STEPS[index + 1];
    if (next) go(next);
    else if (canStart && isDraft) setToStart(campaign);
  };
  const leave = (): void => void flush().then(() => navigate({ to: '/campaigns' }));
  useKeys([
    { keys: 'mod+Enter', label: t(index < 3 ? 'campaigns.next' : 'campaigns.go'), run: forward },
    { keys: 'Escape', label: t('campaigns.leave'), run: leave },
  ]);
  // A new step is read aloud, and Tab goes on from there.
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);
  // Issues that the preview found are shown at their fields, until something is changed.
  const error = draft.error ?? (draft.isSaved ? preview.error : undefined);
  const otherError = draft.error && stepIssues(draft.error).length === 0;
  return (
    <Page
      title={campaign.name || t('campaigns.new')}
      actions={
        <div className={styles.top}>
          <SaveState draft={draft} />
          <Button onClick={leave}>{t('campaigns.leave')}</Button>
          <Menu label={t('campaigns.moreActions')} items={itemsOf(stored).filter(({ id }) => id !== 'edit')}>
            <Icon name="more" />
          </Menu>
        </div>
      }
    >
      <StepBar step={step} error={error} onStep={go} />
      {!isDraft && <p className={styles.notice}>{t('campaigns.editsScheduled')}</p>}
      <Conflict draft={draft} />
      <h2 ref={heading} tabIndex={-1} className={styles.heading}>
        {t(`campaigns.step.${step}`)}
      </h2>
      <div className={styles.content}>
        {step === 'whom' && <Whom draft={draft} error={error} />}
        {step === 'what' && <What draft={draft} error={error} />}
        {step === 'when' && <When draft={draft} error={error} />}
        {step === 'check' && <Check draft={draft} preview={preview} onStep={go} />}
        {otherError ? <ErrorNotice error={draft.error} onRetry={() => void flush()} /> : null}
      </div>
      <footer className={styles.bottom}>
        {index > 0 && (
          <Button icon="back" onClick={() => go(STEPS[index - 1] as Step)}>
            {t('nav.back')}
          </Button>
        )}
        <span className={styles.spacer} />
        {index < STEPS.length - 1 ? (
          <Button look="primary" onClick={forward}>
            {t('campaigns.next')}
          </Button>
        ) : isDraft ? (
          <Button look="primary" icon="send" disabled={!canStart} onClick={forward}>
            {t(campaign.scheduledAt === null ? 'campaigns.go' : 'campaigns.schedule')}
          </Button>
        ) : (
          <Button look="primary" onClick={leave}>
            {t('campaigns.done')}
          </Button>
        )}
      </footer>
      {toStart && <StartDialog campaign={toStart} onClose={() => setToStart(undefined)} />}
      {dialogs}
    </Page>
  );
}

/** Somebody else has changed what is typed here: nobody's words are lost before somebody has decided. */
function Conflict({ draft: { conflicts, resolve } }: { draft: Draft }) {
  const t = useText();
  if (conflicts.length === 0) return null;
  const steps = [...new Set(conflicts.map((name) => t(`campaigns.step.${stepOf(name)}`)))];
  return (
    <Warning
      action={
        <span className={styles.top}>
          <Button onClick={() => resolve(false)}>{t('campaigns.takeTheirs')}</Button>
          <Button onClick={() => resolve(true)}>{t('campaigns.keepMine')}</Button>
        </span>
      }
    >
      {t('campaigns.conflict', { steps: steps.join(', ') })}
    </Warning>
  );
}

/** Whether what is shown is stored. */
function SaveState({ draft: { isSaving, isSaved, error, conflicts } }: { draft: Draft }) {
  const t = useText();
  const isKept = error !== undefined || conflicts.length > 0;
  const state = isSaving ? 'saving' : isSaved ? 'saved' : isKept ? 'unsaved' : 'saving';
  return (
    <span role="status" className={classes(styles.saveState, state === 'unsaved' && styles.isUnsaved)}>
      {t(`campaigns.${state}`)}
    </span>
  );
}

interface StepBarProps {
  step: Step;
  error: unknown;
  onStep: (step: Step) => void;
}

function StepBar({ step, error, onStep }: StepBarProps) {
  const t = useText();
  const wrong = new Set(stepIssues(error).map((issue) => issue.step));
  return (
    <nav aria-label={t('campaigns.steps')}>
      <ol className={styles.steps}>
        {STEPS.map((one, index) => (
          <li key={one}>
            <button
              type="button"
              className={classes(styles.step, one === step && styles.current, wrong.has(one) && styles.wrong)}
              aria-current={one === step ? 'step' : undefined}
              onClick={() => onStep(one)}
            >
              <span className={styles.number}>{wrong.has(one) ? '!' : index + 1}</span>
              {t(`campaigns.step.${one}`)}
              {wrong.has(one) && <span className="visually-hidden">{t('campaigns.stepWrong')}</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface StartDialogProps {
  campaign: CampaignWithCounts;
  onClose: () => void;
}

/** Says once more to how many people it goes, and when. What somebody has changed since is not started. */
function StartDialog({ campaign, onClose }: StartDialogProps) {
  const { t, language } = useTranslator();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const start = useWrite(
    () =>
      setCampaignStatus(client, {
        path: { campaignId: campaign.id },
        body: { status: 'running', baseUpdatedAt: campaign.updatedAt },
      }),
    {
      showsError: true,
      onSuccess: (started) => {
        onClose();
        storeCampaign(cache, started);
        void navigate({ to: `/campaigns/${started.id}` });
      },
    },
  );
  const isNow = campaign.scheduledAt === null;
  const preview = usePreview(campaign);
  return (
    <FormDialog
      title={t('campaigns.startTitle', { name: campaign.name })}
      submit={t(isNow ? 'campaigns.go' : 'campaigns.schedule')}
      onSubmit={() => start.mutate()}
      onClose={onClose}
      isBusy={start.isPending}
      isDisabled={preview.isFetching || !preview.data || preview.isError}
      error={start.error ?? preview.error}
    >
      {campaign.scheduledAt !== null && (
        <p>
          {t('campaigns.startsAt', { at: formatInZone(campaign.scheduledAt, campaign.timezone, language) })}
        </p>
      )}
      {preview.data && !preview.isFetching ? (
        <StartCounts isNow={isNow} preview={preview.data} />
      ) : (
        <p role="status">{t('campaigns.counting')}</p>
      )}
    </FormDialog>
  );
}

function StartCounts({ isNow, preview }: { isNow: boolean; preview: CampaignPreview }) {
  const t = useText();
  const { matched, matchedIsCapped, sendable, examined } = preview;
  // Of very many only the first are examined.
  const isWhole = examined >= matched;
  return (
    <>
      <p>
        {matchedIsCapped
          ? t(isNow ? 'campaigns.startTextMany' : 'campaigns.scheduleTextMany', { count: matched })
          : t(isNow ? 'campaigns.startText' : 'campaigns.scheduleText', {
              count: isWhole ? sendable : matched,
            })}
      </p>
      {isWhole && matched > sendable && <p>{t('campaigns.startSkips', { count: matched - sendable })}</p>}
      {!isWhole && <p>{t('campaigns.startSkipsSome')}</p>}
    </>
  );
}
