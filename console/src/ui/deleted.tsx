import { useNavigate } from '@tanstack/react-router';
import { useText } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import type { IconName } from './icon.tsx';
import { EmptyState } from './notices.tsx';
import { Page } from './page.tsx';

interface DeletedPageProps {
  name: string;
  icon: IconName;
  /** The list that it was in. */
  list: { to: string; label: string };
}

/** Stands in place of something that somebody has deleted while it was open. */
export function DeletedPage({ name, icon, list }: DeletedPageProps) {
  const t = useText();
  const navigate = useNavigate();
  return (
    <Page title={name}>
      <div role="alert">
        <EmptyState
          icon={icon}
          title={t('deleted.title', { name })}
          action={<Button onClick={() => void navigate({ to: list.to })}>{list.label}</Button>}
        >
          {t('deleted.text')}
        </EmptyState>
      </div>
    </Page>
  );
}

/** The same for what is open in a dialog. */
export function DeletedDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const t = useText();
  return (
    <Dialog
      title={name}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
      }
    >
      <p role="alert">{t('deleted.text')}</p>
    </Dialog>
  );
}
