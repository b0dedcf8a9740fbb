import {
  type Channel,
  createMessageTemplate,
  type MessageTemplate,
  updateMessageTemplate,
  uploadFile,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Warning } from '../../ui/notices.tsx';
import { ButtonFields } from './button-fields.tsx';
import { CATEGORIES, TEMPLATES_KEY } from './data.ts';
import { bodyOf, contentOf, type Draft, draftOf, HEADER_TYPES, variablesOfContent } from './draft.ts';
import { TemplatePreview } from './preview.tsx';
import { useSamples } from './samples.tsx';
import styles from './templates.module.css';

/** Whose issues are shown beside them. */
const FIELDS = [
  'channelId',
  'name',
  'language',
  'category',
  'body',
  'footer',
  'text',
  'url',
  'phoneNumber',
  'code',
  'type',
];

interface TemplateFormProps {
  channels: readonly Channel[];
  /** The one to change; without it a new one is created. */
  template?: MessageTemplate | undefined;
  onClose: () => void;
  onDone: (template: MessageTemplate) => void;
}

/** Writes a template, and shows beside it how it will look. */
export function TemplateForm({ channels, template, onClose, onDone }: TemplateFormProps) {
  const t = useText();
  // Most templates are made for WhatsApp.
  const [first] = [...channels.filter(({ kind }) => kind === 'whatsapp'), ...channels];
  const [draft, setDraft] = useState<Draft>(() => draftOf(template, first?.id ?? ''));
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const save = useWrite(
    () => {
      const { channelId, ...body } = bodyOf(draft);
      return template
        ? updateMessageTemplate(client, { path: { messageTemplateId: template.id }, body })
        : createMessageTemplate(client, { body: { channelId, ...body } });
    },
    { invalidates: [TEMPLATES_KEY], done: 'saved', showsError: true, onSuccess: onDone },
  );
  const content = contentOf(draft, template);
  const { values } = useSamples(variablesOfContent(content));
  const isReviewed = channels.find(({ id }) => id === draft.channelId)?.kind === 'whatsapp';
  const isFixed = template !== undefined && isReviewed;
  const hasKeptParts = template && (template.cards ?? template.offer ?? template.authentication);
  const errorOf = (name: string): string | undefined => issueOf(save.error, name);
  return (
    <FormDialog
      title={template ? template.name : t('templates.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={FIELDS}
      isWide
    >
      {isFixed && <Warning>{t('templates.reviewAgain')}</Warning>}
      <div className={styles.editor}>
        <div className={styles.fields}>
          {!template && (
            <SelectField
              label={t('templates.channel')}
              value={draft.channelId}
              options={channels.map(({ id, name }) => ({ value: id, label: name }))}
              error={errorOf('channelId')}
              onChange={(channelId) => change({ channelId })}
            />
          )}
          <div className={styles.pair}>
            <TextField
              label={t('templates.name')}
              help={t('templates.nameHelp')}
              value={draft.name}
              onChange={(event) => change({ name: event.target.value })}
              error={errorOf('name')}
              disabled={isFixed}
              maxLength={512}
              autoComplete="off"
              spellCheck={false}
              autoFocus={!isFixed}
              required
            />
            <TextField
              label={t('templates.language')}
              help={t('templates.languageHelp')}
              value={draft.language}
              onChange={(event) => change({ language: event.target.value })}
              error={errorOf('language')}
              disabled={isFixed}
              maxLength={20}
              autoComplete="off"
              spellCheck={false}
              required
            />
          </div>
          <SelectField
            label={t('templates.category')}
            value={draft.category}
            options={CATEGORIES.map((value) => ({ value, label: t(`templates.category.${value}`) }))}
            error={errorOf('category')}
            onChange={(category) => change({ category })}
          />
          <HeaderFields draft={draft} error={save.error} onChange={change} />
          <TextArea
            label={t('templates.body')}
            help={t('templates.bodyHelp', { named: '{{name}}', numbered: '{{1}}' })}
            value={draft.body}
            onChange={(event) => change({ body: event.target.value })}
            error={issueOf(save.error, 'body')}
            rows={5}
            dir="auto"
          />
          <TextField
            label={t('templates.footer')}
            help={t('templates.footerHelp')}
            value={draft.footer}
            onChange={(event) => change({ footer: event.target.value })}
            error={errorOf('footer')}
            maxLength={1000}
            dir="auto"
          />
          <ButtonFields
            buttons={draft.buttons}
            error={save.error}
            onChange={(buttons) => change({ buttons })}
          />
          {hasKeptParts && <p className={styles.muted}>{t('templates.keptParts')}</p>}
        </div>
        <section className={styles.beside} aria-label={t('templates.preview')}>
          <h3>{t('templates.preview')}</h3>
          <TemplatePreview content={content} values={values} />
        </section>
      </div>
    </FormDialog>
  );
}

interface HeaderFieldsProps {
  draft: Draft;
  error: unknown;
  onChange: (part: Partial<Draft>) => void;
}

function HeaderFields({ draft: { headerType, headerText, headerUrl }, error, onChange }: HeaderFieldsProps) {
  const t = useText();
  const upload = useWrite(
    // The vendor loads it, so its address must be open to everybody.
    (file: File) => uploadFile(client, { body: { file, isPrivate: false } }),
    { onSuccess: ({ url }) => onChange({ headerUrl: url }) },
  );
  const hasFile = headerType !== 'none' && headerType !== 'text' && headerType !== 'location';
  return (
    <>
      <SelectField
        label={t('templates.header')}
        value={headerType}
        options={HEADER_TYPES.map((value) => ({ value, label: t(`templates.header.${value}`) }))}
        error={issueOf(error, 'header.type') ?? issueOf(error, 'header')}
        onChange={(next) => onChange({ headerType: next })}
      />
      {headerType === 'text' && (
        <TextField
          label={t('templates.headerText')}
          value={headerText}
          onChange={(event) => onChange({ headerText: event.target.value })}
          error={issueOf(error, 'header.text')}
          maxLength={1000}
          dir="auto"
        />
      )}
      {hasFile && (
        <>
          <TextField
            label={t('templates.headerUrl')}
            help={t('templates.headerUrlHelp')}
            value={headerUrl}
            onChange={(event) => onChange({ headerUrl: event.target.value })}
            error={issueOf(error, 'header.url')}
            maxLength={2000}
            placeholder="https://"
          />
          <label className={styles.upload}>
            <input
              type="file"
              className="visually-hidden"
              disabled={upload.isPending}
              onChange={({ target }) => {
                const file = target.files?.[0];
                if (file) upload.mutate(file);
                // The same file may be chosen again.
                target.value = '';
              }}
            />
            {t(upload.isPending ? 'templates.uploading' : 'templates.upload')}
          </label>
        </>
      )}
    </>
  );
}
