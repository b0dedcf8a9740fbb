import { useNavigate } from '@tanstack/react-router';
import { createContext, lazy, type ReactNode, Suspense, useContext, useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { useCommands } from '../keys/commands.ts';
import { useKeys } from '../keys/keys.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Skeleton } from '../ui/notices.tsx';
import type { Customer } from './customer.ts';
import { useCanPlay, useCustomerOf, useSandboxes } from './data.ts';
import styles from './phone.module.css';

const Phone = lazy(async () => ({ default: (await import('./phone.tsx')).Phone }));

/** Below this width there is no place beside anything: the phone is a screen of its own. */
const NARROW_PX = 720;
const isNarrow = (): boolean => window.innerWidth < NARROW_PX;

interface Beside {
  isOpen: boolean;
  /** Whether there is something to play with. */
  isOffered: boolean;
  toggle(): void;
}
const Context = createContext<Beside | undefined>(undefined);

interface WithPhoneProps {
  /** The chat that is shown: opening another one gives the phone to its customer. */
  chatId: string | undefined;
  children: ReactNode;
}

/** A screen with a phone beside it, which `p` opens and closes. */
export function WithPhone({ chatId, children }: WithPhoneProps) {
  const t = useText();
  const navigate = useNavigate();
  const canPlay = useCanPlay();
  const [isOpen, setIsOpen] = useState(false);
  const [customer, setCustomer] = useState<Customer>();
  /** The chat whose customer got the phone last. */
  const [givenFor, setGivenFor] = useState<string>();
  const { channels } = useSandboxes(canPlay);
  const ofChat = useCustomerOf(chatId, canPlay && (isOpen || isNarrow()));
  if (ofChat && chatId !== givenFor) {
    setGivenFor(chatId);
    setCustomer(ofChat);
  }

  const toggle = (): void => {
    if (isNarrow()) void navigate({ to: '/phone', search: (customer ?? {}) as never });
    else setIsOpen((open) => !open);
  };
  const own = canPlay ? [{ keys: 'p', label: t('phone.title'), run: toggle }] : [];
  useKeys(own);
  useCommands(
    own.map((command) => ({ ...command, id: 'phone', icon: 'phone' as const, group: 'actions' as const })),
  );
  const isShown = canPlay && isOpen;
  return (
    <Context value={{ isOpen: isShown, isOffered: canPlay && (channels?.length ?? 0) > 0, toggle }}>
      <div className={classes(styles.beside, isShown && styles.hasPhone)}>
        <div className={styles.main}>{children}</div>
        {isShown && (
          <aside className={styles.pane}>
            <Suspense fallback={<Skeleton lines={5} />}>
              <Phone customer={customer} onCustomer={setCustomer} onClose={() => setIsOpen(false)} />
            </Suspense>
          </aside>
        )}
      </div>
    </Context>
  );
}

export const useIsPhoneOpen = (): boolean => useContext(Context)?.isOpen === true;

/** Opens and closes the phone. Without a sandbox channel, or the right to play, there is none. */
export function PhoneButton() {
  const t = useText();
  const beside = useContext(Context);
  if (!beside?.isOffered) return null;
  return (
    <IconButton icon="phone" label={t('phone.title')} aria-pressed={beside.isOpen} onClick={beside.toggle} />
  );
}
