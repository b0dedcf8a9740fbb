import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';
import { runCommand } from '../keys/commands.ts';
import { BellButton, NotificationPanel } from '../notifications/bell.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Modal } from '../ui/modal.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Logo } from './logo.tsx';
import styles from './navigation.module.css';
import { addressOf, type Screen } from './screens.ts';
import { useCurrentScreen, useScreens } from './use-screens.ts';

/** A rail with an icon for each screen; below 720 px a bar above, whose button opens the same as a list. */
export function Navigation() {
  const t = useText();
  const screens = useScreens();
  const current = useCurrentScreen();
  const [isOpen, setIsOpen] = useState(false);
  const hasChats = useScope('chats:read');
  return (
    <>
      <nav className={styles.rail} aria-label={t('nav.main')}>
        <Link to="/" className={styles.logo} aria-label={t('app.name')}>
          <Logo />
        </Link>
        <ScreenLinks screens={screens.filter(({ place }) => place === 'above')} />
        <div className={styles.space} />
        {hasChats && <BellButton className={styles.link} />}
        <IconButton
          icon="search"
          label={t('palette.open')}
          title=""
          data-tip={t('palette.open')}
          className={styles.link}
          onClick={() => runCommand('palette')}
        />
        <ScreenLinks screens={screens.filter(({ place }) => place === 'below')} />
        <AccountMenu className={styles.account} />
      </nav>
      <header className={styles.bar}>
        <IconButton icon="menu" label={t('nav.menu')} onClick={() => setIsOpen(true)} />
        <span className={styles.barTitle}>{current && t(current.title)}</span>
        {hasChats && <BellButton className={undefined} />}
        <IconButton icon="search" label={t('palette.open')} onClick={() => runCommand('palette')} />
        <AccountMenu className={styles.account} />
      </header>
      {hasChats && <NotificationPanel />}
      {isOpen && <Drawer screens={screens} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ScreenLinks({ screens }: { screens: readonly Screen[] }) {
  const t = useText();
  return (
    <ul className={styles.links}>
      {screens.map((screen) => {
        const title = t(screen.title);
        const key = screen.letter === undefined ? '' : ` · G ${screen.letter.toUpperCase()}`;
        return (
          <li key={screen.path}>
            <Link
              to={addressOf(screen)}
              className={styles.link}
              activeProps={{ className: styles.active, 'aria-current': 'page' }}
              aria-label={title}
              data-tip={`${title}${key}`}
            >
              <Icon name={screen.icon} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** The screens as a list with words, over a small window. */
function Drawer({ screens, onClose }: { screens: readonly Screen[]; onClose: () => void }) {
  const t = useText();
  return (
    <Modal className={styles.drawer} label={t('nav.main')} onClose={onClose}>
      <nav className={styles.drawerContent} aria-label={t('nav.main')}>
        <div className={styles.drawerTop}>
          <Logo />
          <span className={styles.barTitle}>{t('app.name')}</span>
          <IconButton icon="close" label={t('action.close')} onClick={onClose} />
        </div>
        <ul>
          {screens.map((screen) => (
            <li key={screen.path}>
              <Link
                to={addressOf(screen)}
                className={styles.drawerLink}
                activeProps={{ className: styles.active, 'aria-current': 'page' }}
                onClick={onClose}
              >
                <Icon name={screen.icon} />
                {t(screen.title)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </Modal>
  );
}
