import { useNavigate } from '@tanstack/react-router';
import { useWorkspace } from '../api/session.tsx';
import { languages, useTranslator } from '../i18n/i18n.tsx';
import { runCommand } from '../keys/commands.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { THEMES, usePreference, writePreference } from './preferences.ts';

/** Who is logged in, the tenants, the appearance, and the way out. */
export function AccountMenu({ className }: { className: string | undefined }) {
  const { t, language } = useTranslator();
  const { session, membership } = useWorkspace();
  const theme = usePreference('theme') ?? 'system';
  const navigate = useNavigate();
  const { memberships, person } = session;
  const items: MenuItem[] = [
    { id: 'profile', label: person.name, icon: 'profile', run: () => void navigate({ to: '/profile' }) },
    ...(memberships.length < 2
      ? []
      : memberships.map((other, index) => ({
          id: other.tenantId,
          label: other.tenantName,
          isChosen: other.tenantId === membership.tenantId,
          startsGroup: index === 0,
          run: () => runCommand(`tenant-${other.tenantId}`),
        }))),
    ...THEMES.map((one, index) => ({
      id: `theme-${one}`,
      label: t('theme.use', { theme: t(`theme.${one}`) }),
      isChosen: one === theme,
      startsGroup: index === 0,
      run: () => writePreference('theme', one),
    })),
    ...languages.map(({ id, name }, index) => ({
      id: `language-${id}`,
      label: name,
      isChosen: id === language,
      startsGroup: index === 0,
      run: () => writePreference('language', id),
    })),
    { id: 'keys', label: t('keys.title'), icon: 'key', startsGroup: true, run: () => runCommand('keys') },
    { id: 'logOut', label: t('nav.logOut'), icon: 'logOut', run: () => runCommand('logOut') },
  ];
  return (
    <Menu label={t('nav.account')} items={items} className={className}>
      <Avatar name={person.name} id={person.id} />
    </Menu>
  );
}
