import { Link, Navigate, useParams } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import { maySee } from '../../app/may-see.ts';
import { NotFound } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/notices.tsx';
import { settingsPages } from './pages.ts';
import styles from './settings.module.css';

const contents: Readonly<Record<string, ComponentType>> = Object.fromEntries(
  settingsPages.map(({ id, load }) => [id, lazy(async () => ({ default: await load() }))]),
);

/** What a tenant has one of: a navigation of its own, and a page. */
export function Settings() {
  const t = useText();
  const { session, membership } = useWorkspace();
  const { page } = useParams({ strict: false }) as { page?: string };
  const pages = settingsPages.filter((one) => maySee(one, session, membership));
  const shown = pages.find(({ id }) => id === page);
  useTitle(shown && t(shown.title));
  const navigation = useRef<HTMLElement>(null);
  // On a small window the links are one line, which scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another page is opened
  useEffect(() => {
    navigation.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [page]);
  const [first] = pages;
  if (page === undefined && first) return <Navigate to={`/settings/${first.id}`} replace />;
  const Content = shown && contents[shown.id];
  return (
    <div className={styles.settings}>
      <nav ref={navigation} className={styles.navigation} aria-label={t('settings.title')}>
        <ul className={styles.links}>
          {pages.map(({ id, title, icon }) => (
            <li key={id}>
              <Link
                to={`/settings/${id}`}
                className={styles.link}
                activeProps={{ className: styles.active, 'aria-current': 'page' }}
              >
                <Icon name={icon} />
                {t(title)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.content}>
        <Suspense key={page} fallback={<Skeleton lines={6} />}>
          {Content ? <Content /> : <NotFound />}
        </Suspense>
      </div>
    </div>
  );
}
