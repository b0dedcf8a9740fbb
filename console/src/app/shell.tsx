import type { Membership } from '@parley/sdk';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { setTenantForRequests } from '../api/client.ts';
import { isLoggedOut } from '../api/errors.ts';
import {
  endSession,
  findMembership,
  mayUse,
  switchTenant,
  useSessionQuery,
  useWorkspace,
  WorkspaceContext,
} from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';
import { LiveProvider } from '../live/live-provider.tsx';
import { useNotifications } from '../notifications/data.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../ui/notices.tsx';
import { Banners } from './banners.tsx';
import { GlobalCommands } from './global-commands.tsx';
import { Navigation } from './navigation.tsx';
import { keepTenantInTab, usePreference } from './preferences.ts';
import styles from './shell.module.css';
import { useCurrentScreen } from './use-screens.ts';

/** The frame around every screen behind the login. It shows no screen before it knows who looks at it. */
export function Shell() {
  const query = useSessionQuery();
  const chosen = usePreference('tenantId');
  if (isLoggedOut(query.error)) return <ToLogin hasEnded={query.data !== undefined} />;
  if (!query.data)
    return (
      <main className={styles.waiting}>
        {query.error ? (
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Skeleton />
        )}
      </main>
    );
  const membership = findMembership(query.data, chosen);
  if (!membership) return <NoTenant email={query.data.person.email} />;
  if (chosen !== undefined && membership.tenantId !== chosen) return <ToTenant membership={membership} />;
  // Before the screens below send their first request.
  setTenantForRequests(membership.tenantId);
  return (
    <WorkspaceContext value={{ session: query.data, membership }}>
      <LiveProvider key={membership.tenantId}>
        <Frame />
      </LiveProvider>
    </WorkspaceContext>
  );
}

/** Leads to the login once, with the address to come back to: it must not follow the addresses on the way. */
function ToLogin({ hasEnded }: { hasEnded: boolean }) {
  const router = useRouter();
  const [search] = useState(() => ({ next: router.latestLocation.href, ...(hasEnded ? { ended: 1 } : {}) }));
  useEffect(() => void router.navigate({ to: '/login', search, replace: true }), [router, search]);
  return null;
}

/** The person no longer belongs to the tenant of this tab: nothing of it stays in memory. */
function ToTenant({ membership }: { membership: Membership }) {
  useEffect(() => switchTenant(membership), [membership]);
  return null;
}

function Frame() {
  const t = useText();
  const { tenantId } = useWorkspace().membership;
  useDocumentTitle();
  useEffect(() => keepTenantInTab(tenantId), [tenantId]);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t('app.skip')}
      </a>
      <div className={styles.banners}>
        <Banners />
      </div>
      <Navigation />
      <main id="content" className={styles.content} tabIndex={-1}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <Outlet />
        </Suspense>
      </main>
      <GlobalCommands />
    </div>
  );
}

/** The title of the tab: how many notifications are unread, the screen and the tenant. */
function useDocumentTitle(): void {
  const t = useText();
  const { membership } = useWorkspace();
  const screen = useCurrentScreen();
  const count = useNotifications({ enabled: mayUse(membership, 'chats:read') }).data?.unreadCount ?? 0;
  const title = screen ? `${t(screen.title)} · ${membership.tenantName}` : membership.tenantName;
  useEffect(() => {
    document.title = `${count === 0 ? '' : `(${count}) `}${title} · Parley`;
  }, [title, count]);
}

function NoTenant({ email }: { email: string }) {
  const t = useText();
  return (
    <main className={styles.waiting}>
      <EmptyState
        icon="tenant"
        title={t('noTenant.title')}
        action={<Button onClick={() => void endSession()}>{t('nav.logOut')}</Button>}
      >
        {t('noTenant.text', { email })}
      </EmptyState>
    </main>
  );
}
