import type { Membership } from '@parley/sdk';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useWrite } from '../api/api.ts';
import { setTenantForRequests } from '../api/client.ts';
import { isLoggedOut } from '../api/errors.ts';
import {
  endSession,
  findMembership,
  leaveTenant,
  mayUse,
  noteShown,
  shownWorkspace,
  useIsEnding,
  useSessionQuery,
  useWorkspace,
  WorkspaceContext,
} from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';
import { LiveProvider } from '../live/live-provider.tsx';
import { useNotifications } from '../notifications/data.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../ui/notices.tsx';
import { useToast } from '../ui/toast.tsx';
import { Banners } from './banners.tsx';
import { GlobalCommands } from './global-commands.tsx';
import { Navigation } from './navigation.tsx';
import { keepTenantInTab, readPreference, takeLostTenant } from './preferences.ts';
import styles from './shell.module.css';
import { useOpenedTitle } from './title.ts';
import { useCurrentScreen } from './use-screens.ts';

/** The frame around every screen behind the login. It shows no screen before it knows who looks at it. */
export function Shell() {
  const query = useSessionQuery();
  const isEnding = useIsEnding();
  if (isLoggedOut(query.error)) return <ToLogin hasEnded={query.data !== undefined} />;
  if (!query.data || isEnding)
    return (
      <main className={styles.waiting}>
        {query.error && !isEnding ? (
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Skeleton />
        )}
      </main>
    );
  const shown = shownWorkspace();
  const before = shown?.membership;
  const membership = findMembership(query.data, before?.tenantId ?? readPreference('tenantId'));
  const { person, memberships } = query.data;
  // Somebody else has logged in in another tab.
  if (before && shown?.session.person.id !== person.id) return <Leave next={membership} />;
  if (before && !memberships.some(({ tenantId }) => tenantId === before.tenantId))
    return <Leave lost={before} next={membership} />;
  if (!membership) return <NoTenant email={person.email} />;
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

/** Nothing that the page shows is for this person any more; `lost` is a tenant to which they belonged. */
function Leave({ lost, next }: { lost?: Membership; next: Membership | undefined }) {
  // Once: the session may be read again before the page is.
  const [tenants] = useState({ lost, next });
  useEffect(() => leaveTenant(tenants.lost, tenants.next), [tenants]);
  return null;
}

function Frame() {
  const t = useText();
  const { session, membership } = useWorkspace();
  useDocumentTitle();
  useSayLostTenant();
  useRefuseFiles();
  useEffect(() => {
    keepTenantInTab(membership.tenantId);
    noteShown({ session, membership });
  }, [session, membership]);
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

/** A file that is dropped beside its place would take the place of the page, with all that was typed. */
function useRefuseFiles(): void {
  useEffect(() => {
    const refuse = (event: DragEvent): void => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', refuse);
    window.addEventListener('drop', refuse);
    return () => {
      window.removeEventListener('dragover', refuse);
      window.removeEventListener('drop', refuse);
    };
  }, []);
}

/** Says why another tenant is shown than before the page was loaded again. */
function useSayLostTenant(): void {
  const t = useText();
  const toast = useToast();
  const { tenantName } = useWorkspace().membership;
  const say = useEffectEvent(() => {
    const lost = takeLostTenant();
    if (lost !== undefined) toast({ text: t('tenant.lost', { lost, tenant: tenantName }), look: 'bad' });
  });
  useEffect(() => say(), []);
}

/** The title of the tab: how many notifications are unread, what is opened, the screen and the tenant. */
function useDocumentTitle(): void {
  const t = useText();
  const { membership } = useWorkspace();
  const screen = useCurrentScreen();
  const count = useNotifications({ enabled: mayUse(membership, 'chats:read') }).data?.unreadCount ?? 0;
  const opened = useOpenedTitle();
  const title = [opened, screen && t(screen.title), membership.tenantName].filter(Boolean).join(' · ');
  useEffect(() => {
    document.title = `${count === 0 ? '' : `(${count}) `}${title} · Parley`;
  }, [title, count]);
}

function NoTenant({ email }: { email: string }) {
  const t = useText();
  const logOut = useWrite(endSession);
  return (
    <main className={styles.waiting}>
      <EmptyState
        icon="tenant"
        title={t('noTenant.title')}
        action={<Button onClick={() => logOut.mutate()}>{t('nav.logOut')}</Button>}
      >
        {t('noTenant.text', { email })}
      </EmptyState>
    </main>
  );
}
