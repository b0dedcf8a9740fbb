import { deleteMessageTemplate, getMessageTemplate, type MessageTemplate } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { NotFound } from '../../app/not-found.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { useIsDeleted } from '../../live/deleted.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DeletedPage } from '../../ui/deleted.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded, Warning } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { describeReason, STATUS_LOOKS, TEMPLATES_KEY, useChannels } from './data.ts';
import { TemplatePreview } from './preview.tsx';
import { useSamples } from './samples.tsx';
import { TemplateForm } from './template-form.tsx';
import styles from './templates.module.css';

/** One template: how it looks, and what the vendor has decided. */
export function TemplateDetails({ templateId }: { templateId: string }) {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('templates:write');
  const channels = useChannels();
  const [opened, setOpened] = useState<'edit' | 'delete'>();
  const template = useRead([...TEMPLATES_KEY, 'one', templateId], (signal) =>
    getMessageTemplate(client, { path: { messageTemplateId: templateId }, signal }),
  );
  const close = (): void => setOpened(undefined);
  const leave = (): void => void navigate({ to: '/templates' });
  useKeys([
    { keys: 'Escape', label: t('templates.all'), run: leave },
    ...(canWrite ? [{ keys: 'e', label: t('templates.edit'), run: () => setOpened('edit') }] : []),
  ]);
  const { data } = template;
  if (useIsDeleted(templateId, data?.channelId) && data) {
    const list = { to: '/templates', label: t('templates.all') };
    return <DeletedPage name={`${data.name} (${data.language})`} icon="template" list={list} />;
  }
  if ([400, 404].includes(statusOf(template.error) ?? 0)) return <NotFound />;
  return (
    <Page
      title={data ? `${data.name} (${data.language})` : t('templates.title')}
      actions={
        <span className={styles.actions}>
          <Link to="/templates">{t('templates.all')}</Link>
          {canWrite && data && (
            <>
              <Button icon="edit" onClick={() => setOpened('edit')}>
                {t('templates.edit')}
              </Button>
              <Button icon="trash" look="danger" onClick={() => setOpened('delete')}>
                {t('action.delete')}
              </Button>
            </>
          )}
        </span>
      }
    >
      <Loaded query={template} lines={8}>
        {(shown) => <Parts template={shown} />}
      </Loaded>
      {opened === 'edit' && data && (
        <TemplateForm channels={channels} template={data} onClose={close} onDone={close} />
      )}
      {opened === 'delete' && data && <RemoveDialog template={data} onClose={close} onDone={leave} />}
    </Page>
  );
}

function Parts({ template }: { template: MessageTemplate }) {
  const { t } = useTranslator();
  const channel = useChannels().find(({ id }) => id === template.channelId);
  const { values, setValue } = useSamples(template.variables);
  const { status, rejectionReason, problem, quality, category, language, updatedAt } = template;
  return (
    <>
      <Section title={t('templates.decision')}>
        <Badge look={STATUS_LOOKS[status]}>{t(`templates.status.${status}`)}</Badge>
        <p>{t(`templates.statusText.${status}`)}</p>
        {rejectionReason !== null && (
          <Warning>{t('templates.reason', { reason: describeReason(rejectionReason, t) })}</Warning>
        )}
        {problem !== null && <Warning>{t('templates.problem', { problem })}</Warning>}
      </Section>
      <Section title={t('templates.preview')} text={t('templates.previewText')}>
        <TemplatePreview content={template} values={values} />
        {template.variables.length === 0 ? (
          <p className={styles.muted}>{t('templates.noVariables')}</p>
        ) : (
          <fieldset className={styles.group}>
            <legend>{t('templates.values')}</legend>
            <div className={styles.pair}>
              {template.variables.map((name) => (
                <TextField
                  key={name}
                  label={name}
                  value={values[name] ?? ''}
                  onChange={(event) => setValue(name, event.target.value)}
                  autoComplete="off"
                />
              ))}
            </div>
          </fieldset>
        )}
      </Section>
      <Section title={t('templates.facts')}>
        <Facts
          facts={[
            [t('templates.name'), template.name],
            [t('templates.channel'), channel?.name ?? '–'],
            [t('templates.language'), language],
            [t('templates.category'), t(`templates.category.${category}`)],
            ...(quality === null
              ? []
              : [[t('templates.quality'), t(`templates.quality.${quality}`)] as const]),
            [t('templates.changed'), <RelativeTime key="changed" at={updatedAt} />],
          ]}
        />
      </Section>
    </>
  );
}

interface RemoveDialogProps {
  template: MessageTemplate;
  onClose: () => void;
  onDone: () => void;
}

/** The server refuses what an automation or a campaign uses, and says which. Those who insist delete it nevertheless. */
function RemoveDialog({ template: { id, name, language }, onClose, onDone }: RemoveDialogProps) {
  const t = useText();
  const [isUsed, setIsUsed] = useState(false);
  const remove = useWrite(
    () =>
      deleteMessageTemplate(client, {
        path: { messageTemplateId: id },
        ...(isUsed ? { query: { force: true } } : {}),
      }).catch((error) => {
        setIsUsed(statusOf(error) === 409);
        throw error;
      }),
    { invalidates: [TEMPLATES_KEY], done: 'deleted', showsError: true, onSuccess: onDone },
  );
  return (
    <ConfirmDialog
      title={t('templates.removeTitle', { name })}
      text={t('templates.removeText', { name, language })}
      action={t(isUsed ? 'action.deleteAnyway' : 'action.delete')}
      typed={name}
      write={remove}
      onClose={onClose}
    />
  );
}
