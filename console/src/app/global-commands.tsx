import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/api.ts';
import { endSession, switchTenant, useWorkspace } from '../api/session.tsx';
import { languages, useText } from '../i18n/i18n.tsx';
import { useCommands } from '../keys/commands.ts';
import { useKeys } from '../keys/keys.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { guidePath, KeysDialog } from './keys-dialog.tsx';
import { wouldLose } from './leave-page.ts';
import { maySee } from './may-see.ts';
import { Palette } from './palette.tsx';
import { THEMES, writePreference } from './preferences.ts';
import { addressOf } from './screens.ts';
import './stored-drafts.ts';
import { useScreens } from './use-screens.ts';

/** What somebody wants to leave, and how. */
interface Departure {
  ends: 'page' | 'session';
  /** What the button says. */
  action: string;
  go(): void;
}

/** The commands and keys that work on every screen, and what they open. */
export function GlobalCommands() {
  const t = useText();
  const navigate = useNavigate();
  const screens = useScreens();
  const { session, membership } = useWorkspace();
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const [departure, setDeparture] = useState<Departure>();
  const logOut = useWrite(endSession);
  /** Asks first if something would be lost. */
  const leave = (next: Departure): void => {
    if (wouldLose(next.ends)) setDeparture(next);
    else next.go();
  };
  const openPalette = (): void => setOpened('palette');
  const openKeys = (): void => setOpened('keys');
  const others = session.memberships.filter(({ tenantId }) => tenantId !== membership.tenantId);

  const pageCommands = screens.flatMap((screen) =>
    (screen.pages ?? [])
      .filter((page) => maySee(page, session, membership))
      .map(({ id, title, icon }) => ({
        id: `screen-${addressOf(screen)}/${id}`,
        label: `${t(screen.title)}: ${t(title)}`,
        icon,
        group: 'screens' as const,
        run: () => void navigate({ to: `${addressOf(screen)}/${id}` }),
      })),
  );
  const screenCommands = screens.map((screen) => ({
    id: `screen-${addressOf(screen)}`,
    label: t(screen.title),
    icon: screen.icon,
    keys: screen.letter === undefined ? undefined : `g ${screen.letter}`,
    group: 'screens' as const,
    run: () => void navigate({ to: addressOf(screen) }),
  }));
  useCommands([
    ...screenCommands,
    ...pageCommands,
    {
      id: 'palette',
      label: t('keys.palette'),
      icon: 'search',
      keys: 'mod+k',
      group: 'actions',
      run: openPalette,
    },
    { id: 'keys', label: t('keys.show'), icon: 'key', keys: '?', group: 'actions', run: openKeys },
    {
      id: 'guide',
      label: t('keys.guide'),
      icon: 'info',
      group: 'actions',
      run: () => void window.open(guidePath, '_blank', 'noreferrer'),
    },
    ...others.map((other) => ({
      id: `tenant-${other.tenantId}`,
      label: `${t('nav.switchTenant')}: ${other.tenantName}`,
      icon: 'tenant' as const,
      group: 'actions' as const,
      run: () => leave({ ends: 'page', action: t('nav.switchTenant'), go: () => switchTenant(other) }),
    })),
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      label: t('theme.use', { theme: t(`theme.${theme}`) }),
      icon: 'theme' as const,
      group: 'actions' as const,
      run: () => writePreference('theme', theme),
    })),
    ...languages.map(({ id, name }) => ({
      id: `language-${id}`,
      label: t('language.use', { language: name }),
      icon: 'language' as const,
      group: 'actions' as const,
      run: () => writePreference('language', id),
    })),
    {
      id: 'logOut',
      label: t('nav.logOut'),
      icon: 'logOut',
      group: 'actions',
      run: () => leave({ ends: 'session', action: t('nav.logOut'), go: () => logOut.mutate() }),
    },
  ]);
  useKeys([
    { keys: 'mod+k', label: t('keys.palette'), group: 'general', run: openPalette },
    { keys: '?', label: t('keys.show'), group: 'general', run: openKeys },
    ...screenCommands.flatMap(({ keys, label, run }) =>
      keys === undefined
        ? []
        : [{ keys, label: t('keys.goTo', { screen: label }), group: 'general' as const, run }],
    ),
  ]);
  const close = (): void => setOpened(undefined);
  if (departure)
    return (
      <ConfirmDialog
        title={t('leave.title')}
        text={t(departure.ends === 'session' ? 'leave.session' : 'leave.page')}
        action={departure.action}
        write={{ mutate: departure.go, isPending: false, error: undefined }}
        onClose={() => setDeparture(undefined)}
      />
    );
  if (opened === 'palette') return <Palette onClose={close} />;
  if (opened === 'keys') return <KeysDialog onClose={close} />;
  return null;
}
