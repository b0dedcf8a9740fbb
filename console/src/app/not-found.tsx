import { Link } from '@tanstack/react-router';
import { useText } from '../i18n/i18n.tsx';
import { EmptyState } from '../ui/notices.tsx';

export function NotFound() {
  const t = useText();
  return (
    <EmptyState icon="search" title={t('notFound.title')} action={<Link to="/">{t('notFound.home')}</Link>}>
      {t('notFound.text')}
    </EmptyState>
  );
}
