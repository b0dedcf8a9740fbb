import { type Channel, syncMessageTemplates, type TemplateSync } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { TEMPLATES_KEY } from './data.ts';
import styles from './templates.module.css';

/** Reads the templates of a channel from the vendor. Of several channels one is chosen. */
export function SyncButton({ channels }: { channels: readonly Channel[] }) {
  const t = useText();
  const [result, setResult] = useState<TemplateSync>();
  const sync = useWrite((channelId: string) => syncMessageTemplates(client, { body: { channelId } }), {
    invalidates: [TEMPLATES_KEY],
    onSuccess: setResult,
  });
  const [first, ...others] = channels.filter(({ kind }) => kind === 'whatsapp');
  if (!first) return null;
  return (
    <>
      {others.length === 0 || sync.isPending ? (
        <Button icon="download" isBusy={sync.isPending} onClick={() => sync.mutate(first.id)}>
          {t('templates.sync')}
        </Button>
      ) : (
        <Menu
          label={t('templates.sync')}
          className={styles.menuButton}
          items={[first, ...others].map(({ id, name }) => ({
            id,
            label: t('templates.syncOf', { name }),
            run: () => sync.mutate(id),
          }))}
        >
          <Icon name="download" />
          {t('templates.sync')}
        </Menu>
      )}
      {result && <SyncResult result={result} onClose={() => setResult(undefined)} />}
    </>
  );
}

function SyncResult({ result, onClose }: { result: TemplateSync; onClose: () => void }) {
  const t = useText();
  const { created, updated, removed, total, leftOut, leftOutTotal } = result;
  return (
    <Dialog
      title={t('templates.syncDone')}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
      }
    >
      <p>{t('templates.syncText', { created, updated, removed, total })}</p>
      {leftOutTotal > 0 && (
        <>
          <p>{t('templates.leftOut', { count: leftOutTotal })}</p>
          <ul className={styles.leftOut}>
            {leftOut.map(({ name, language, reason }) => (
              <li key={`${name} ${language}`}>
                <strong>{name}</strong> ({language}): {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
