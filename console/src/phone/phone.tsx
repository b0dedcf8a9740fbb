import type { Channel } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { ErrorNotice, Skeleton } from '../ui/notices.tsx';
import { Conversation } from './conversation.tsx';
import type { Customer } from './customer.ts';
import { useSandbox, useSandboxes } from './data.ts';
import { PersonPicker } from './person-picker.tsx';
import styles from './phone.module.css';
import { hasFaults, Simulation } from './simulation.tsx';

interface PhoneProps {
  /** Whose phone it is; undefined: nobody has said yet. */
  customer: Customer | undefined;
  onCustomer: (customer: Customer) => void;
  /** Undefined: it cannot be closed, because it is all that the page shows. */
  onClose?: () => void;
}

/** A phone on which somebody plays a customer of a sandbox channel, through everything that real messages go through. */
export function Phone({ customer, onCustomer, onClose }: PhoneProps) {
  const t = useText();
  const { channels, error } = useSandboxes();
  const [view, setView] = useState<'chat' | 'person' | 'simulation'>('chat');
  const takesFocus = useRef(true);
  const channel = channels?.find(({ id }) => id === customer?.channelId);
  const playsNobody = !customer || !channel;
  const showChat = (): void => setView('chat');
  // Another chat was opened: its customer has the phone now.
  const shownId = customer && `${customer.channelId} ${customer.from}`;
  const [lastId, setLastId] = useState(shownId);
  if (shownId !== lastId) {
    setLastId(shownId);
    setView('chat');
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    if (view !== 'chat' && !playsNobody) showChat();
    else onClose?.();
  }
  return (
    <section className={styles.phone} aria-label={t('phone.title')} onKeyDown={onKeyDown}>
      <header className={styles.controls}>
        {customer && channel ? (
          <button
            type="button"
            className={styles.who}
            aria-expanded={view === 'person'}
            title={t('phone.change')}
            onClick={() => setView(view === 'person' ? 'chat' : 'person')}
          >
            <Avatar name={customer.name} id={customer.contactId ?? customer.from} size="small" />
            <span className={styles.personText}>
              <span className={styles.name} dir="auto">
                <span className="visually-hidden">{t('phone.youAre')} </span>
                {customer.name}
              </span>
              {customer.name !== customer.from && (
                <span className={styles.muted} dir="auto">
                  {customer.from}
                </span>
              )}
            </span>
            <Icon name="down" />
          </button>
        ) : (
          <h2 className={styles.name}>{t('phone.title')}</h2>
        )}
        {customer && channel && (
          <>
            <IconButton
              icon="settings"
              label={t('phone.simulation')}
              aria-pressed={view === 'simulation'}
              onClick={() => setView(view === 'simulation' ? 'chat' : 'simulation')}
            />
            {onClose && (
              <Link
                to="/phone"
                search={customer as never}
                target="_blank"
                className={styles.window}
                aria-label={t('phone.window')}
                title={t('phone.window')}
              >
                <Icon name="window" />
              </Link>
            )}
          </>
        )}
        {onClose && <IconButton icon="close" label={t('phone.close')} onClick={onClose} />}
      </header>
      <div className={styles.device}>
        {!channels ? (
          error ? (
            <ErrorNotice error={error} />
          ) : (
            <Skeleton lines={5} />
          )
        ) : view === 'person' || playsNobody ? (
          <PersonPicker
            channels={channels}
            channelId={customer?.channelId}
            onPick={(picked) => {
              takesFocus.current = true;
              onCustomer(picked);
              showChat();
            }}
          />
        ) : (
          <>
            <Business channel={channel} onSimulation={() => setView('simulation')} />
            {view === 'simulation' ? (
              <Simulation channel={channel} onDone={showChat} />
            ) : (
              <Conversation key={shownId} customer={customer} channel={channel} takesFocus={takesFocus} />
            )}
          </>
        )}
      </div>
    </section>
  );
}

/** With whom the customer chats, as phones show it. */
function Business({ channel, onSimulation }: { channel: Channel; onSimulation: () => void }) {
  const t = useText();
  const faults = useSandbox(channel.id).data?.faults;
  return (
    <>
      <div className={styles.business}>
        <span className={styles.kind}>
          <Icon name={channel.kind as IconName} />
        </span>
        <span className={styles.personText}>
          <span className={styles.name} dir="auto">
            {channel.name}
          </span>
          <span className={styles.muted} dir="auto">
            {channel.address}
          </span>
        </span>
      </div>
      {faults && hasFaults(faults) && (
        <div className={styles.strip}>
          <span>{t('phone.failuresOn')}</span>
          <Button look="quiet" onClick={onSimulation}>
            {t('phone.changeFailures')}
          </Button>
        </div>
      )}
    </>
  );
}
