import type { Channel } from '@parley/sdk';
import { useRef, useState } from 'react';
import { issueWithin } from '../../../api/errors.ts';
import { useApprovedTemplates } from '../../../api/templates.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Warning } from '../../../ui/notices.tsx';
import { useActiveAutomations, useChannels } from '../data.ts';
import { AutomationFields } from './automation-fields.tsx';
import { Bubble, Marked, TemplateBubble } from './bubble.tsx';
import { FileField } from './file-field.tsx';
import { issueAt } from './issues.ts';
import { LiquidField, useVariables, type Variable } from './liquid-field.tsx';
import { type ContentKind, contentKindOf, type Message } from './message.ts';
import { Options } from './options.tsx';
import { TemplateFields } from './template-fields.tsx';
import type { Draft } from './use-draft.ts';
import styles from './wizard.module.css';

const MAX_TEXT = 10_000;
const MAX_SUBJECT = 2_000;
/** Where a text reaches only those who wrote of late. */
const HAS_WINDOW: ReadonlySet<string> = new Set(['whatsapp', 'instagram']);
/** Kinds of channels whose vendors approve templates. */
const HAS_TEMPLATES: ReadonlySet<string> = new Set(['whatsapp', 'sms', 'email']);

/** What everybody gets, and how it looks. */
export function What({ draft, error }: { draft: Draft; error: unknown }) {
  const t = useText();
  const { campaign, change } = draft;
  const channels = useChannels().data ?? [];
  const channel = channels.find(({ id }) => id === campaign.channelId);
  const automations = useActiveAutomations();
  const [chosen, setChosen] = useState<ContentKind>();
  const kind = chosen ?? contentKindOf(campaign);
  const message = campaign.message ?? {};
  const variables = useVariables(channel?.kind);
  const setMessage = (next: Message): void => change({ message: next });
  // Who looks at another kind and comes back finds what was written.
  const kept = useRef<Partial<Record<ContentKind, Message>>>({});
  const choose = (next: ContentKind): void => {
    setChosen(next);
    if (kind) kept.current[kind] = message;
    const [first] = automations;
    if (next === 'text') setMessage(kept.current.text ?? { text: message.text ?? '' });
    if (next === 'template') setMessage(kept.current.template ?? {});
    if (next === 'automation' && first) change({ automationId: first.id });
  };
  const shared = { message, variables, onChange: setMessage, error };
  return (
    <div className={styles.split}>
      <div className={styles.column}>
        <SelectField
          label={t('campaigns.channel')}
          value={campaign.channelId}
          options={channels.map((one) => ({
            value: one.id,
            label: `${one.name} (${t(`kind.${one.kind}`)})`,
          }))}
          // A template belongs to its channel.
          onChange={(channelId) => {
            delete kept.current.template;
            change({ channelId, ...(campaign.message?.template ? { message: {} } : {}) });
          }}
          error={issueAt(error, 'channelId')}
        />
        <Options<ContentKind>
          label={t('campaigns.what')}
          value={kind}
          onChange={choose}
          error={issueAt(error, 'message')}
          options={[
            ...(channel === undefined || HAS_TEMPLATES.has(channel.kind)
              ? [
                  {
                    value: 'template' as const,
                    label: t('campaigns.kind.template'),
                    help: t('campaigns.kind.templateHelp'),
                    content: (
                      <TemplateFields key={campaign.channelId} channelId={campaign.channelId} {...shared} />
                    ),
                  },
                ]
              : []),
            {
              value: 'text',
              label: t('campaigns.kind.text'),
              help: t('campaigns.kind.textHelp'),
              content: <TextFields {...shared} channel={channel} />,
            },
            {
              value: 'automation',
              label: t('campaigns.kind.automation'),
              help: t(
                automations.length === 0 ? 'campaigns.kind.automationNone' : 'campaigns.kind.automationHelp',
              ),
              content: <AutomationFields draft={draft} automations={automations} error={error} />,
            },
          ]}
        />
      </div>
      {(kind === 'text' || kind === 'template') && (
        <aside className={styles.preview} aria-label={t('campaigns.preview')}>
          <h2>{t('campaigns.preview')}</h2>
          <MessagePreview channelId={campaign.channelId} message={message} variables={variables} />
          <p className={styles.help}>{t('campaigns.previewHelp')}</p>
        </aside>
      )}
    </div>
  );
}

interface TextFieldsProps {
  message: Message;
  variables: readonly Variable[];
  onChange: (message: Message) => void;
  error: unknown;
  channel: Channel | undefined;
}

function TextFields({ message, variables, onChange, error, channel }: TextFieldsProps) {
  const t = useText();
  const { media: _, ...withoutFile } = message;
  return (
    <div className={styles.column}>
      {channel && HAS_WINDOW.has(channel.kind) && <Warning>{t('campaigns.windowHelp')}</Warning>}
      {channel?.kind === 'email' && (
        <LiquidField
          label={t('campaigns.subject')}
          value={message.subject ?? ''}
          variables={variables}
          maxLength={MAX_SUBJECT}
          error={issueAt(error, 'message.subject')}
          onChange={(subject) => onChange({ ...message, subject })}
        />
      )}
      <LiquidField
        label={t('campaigns.text')}
        value={message.text ?? ''}
        variables={variables}
        maxLength={MAX_TEXT}
        error={issueAt(error, 'message.text')}
        onChange={(text) => onChange({ ...message, text })}
        isLong
      />
      <FileField
        label={t('campaigns.attach')}
        file={message.media}
        onChange={(media) => onChange(media ? { ...withoutFile, media } : withoutFile)}
        error={issueWithin(error, 'message.media')}
      />
    </div>
  );
}

interface MessagePreviewProps {
  channelId: string;
  message: Message;
  variables: readonly Variable[];
}

function MessagePreview({ channelId, message, variables }: MessagePreviewProps) {
  const t = useText();
  const templates = useApprovedTemplates(channelId).data ?? [];
  const template = templates.find(({ id }) => id === message.template?.templateId);
  if (template)
    return (
      <TemplateBubble
        template={template}
        values={message.template?.variables ?? {}}
        variables={variables}
        file={message.template?.header?.filename}
      />
    );
  return (
    <Bubble
      title={message.subject && <Marked text={message.subject} variables={variables} />}
      file={message.media?.filename}
      text={message.text ? <Marked text={message.text} variables={variables} /> : t('campaigns.emptyBubble')}
    />
  );
}
