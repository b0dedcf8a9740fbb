import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useWorkspace } from '../api/session.tsx';
import { loadScreenTexts } from '../i18n/i18n.tsx';
import { Skeleton } from '../ui/notices.tsx';
import { ErrorScreen } from './error-screen.tsx';
import { consolePath, history } from './history.ts';
import { maySee } from './may-see.ts';
import { NotFound } from './not-found.tsx';
import { addressOf, type Screen, screens } from './screens.ts';
import { Shell } from './shell.tsx';
import { useScreens } from './use-screens.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

/** A chunk of its own, shown when it is loaded. */
function lazily(load: Screen['load']) {
  const Component = lazy(async () => {
    const [content] = await Promise.all([load(), loadScreenTexts()]);
    return { default: content };
  });
  return () => (
    <Suspense fallback={<Skeleton lines={6} />}>
      <Component />
    </Suspense>
  );
}

function screenRoute(screen: Screen): AnyRoute {
  const Content = lazily(screen.load);
  const component = () => {
    const { session, membership } = useWorkspace();
    return maySee(screen, session, membership) ? <Content /> : <NotFound />;
  };
  return createRoute({ getParentRoute: () => shell, path: screen.path, component });
}

/** Where a person starts. */
function Start() {
  const [first] = useScreens();
  return first ? <Navigate to={addressOf(first)} replace /> : <NotFound />;
}

/** Screens without a login. */
const PUBLIC: Readonly<Record<string, Screen['load']>> = {
  '/login': async () => (await import('../screens/login/login.tsx')).Login,
  '/login/oidc': async () => (await import('../screens/login/oidc-return.tsx')).OidcReturn,
  '/welcome': async () => (await import('../screens/welcome/welcome.tsx')).Welcome,
};

const routeTree = root.addChildren([
  ...Object.entries(PUBLIC).map(([path, load]) =>
    createRoute({ getParentRoute: () => root, path, component: lazily(load) }),
  ),
  shell.addChildren([
    createRoute({ getParentRoute: () => shell, path: '/', component: Start }),
    ...screens.map(screenRoute),
    createRoute({ getParentRoute: () => shell, path: '$', component: NotFound }),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: consolePath,
  history,
  defaultErrorComponent: ErrorScreen,
  defaultPreload: false,
});
