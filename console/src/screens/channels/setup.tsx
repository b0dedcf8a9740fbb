import { type Channel, type ChannelSetupStep, getChannel, getChannelSetup } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useRead } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { statusOf } from '../../api/errors.ts';
import { NotFound } from '../../app/not-found.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useIsDeleted } from '../../live/deleted.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { DeletedPage } from '../../ui/deleted.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ChannelHours } from './channel-hours.tsx';
import { CHANNELS_KEY, kindOf, setupKey, useChannelKinds } from './data.ts';
import { CheckResult, useCheck } from './dialogs.tsx';
import { FailedRequests } from './failed-requests.tsx';
import { HealthBadge } from './health.tsx';
import styles from './setup.module.css';
import { TestMessage } from './test-message.tsx';

/** How a channel is connected at its vendor, whether it works, and a message to try it. */
export function Setup({ channelId }: { channelId: string }) {
  const t = useText();
  const channel = useRead([...CHANNELS_KEY, 'one', channelId], (signal) =>
    getChannel(client, { path: { channelId }, signal }),
  );
  const setup = useRead(setupKey(channelId), (signal) =>
    getChannelSetup(client, { path: { channelId }, signal }),
  );
  if (useIsDeleted(channelId) && channel.data) {
    const list = { to: '/channels', label: t('channels.all') };
    return <DeletedPage name={channel.data.name} icon="channel" list={list} />;
  }
  if ([400, 404].includes(statusOf(channel.error) ?? 0)) return <NotFound />;
  return (
    <Page
      title={channel.data?.name ?? t('channels.setup')}
      actions={
        <span className={styles.actions}>
          <Link to="/channels">{t('channels.all')}</Link>
          {channel.data && <EditButton channel={channel.data} />}
        </span>
      }
    >
      <Loaded query={setup} lines={8}>
        {(found) => (
          <Loaded query={channel} lines={8}>
            {(one) => (
              <>
                <Section title={t('channels.steps')} text={<GuideLink channel={one} />}>
                  <Steps steps={found} />
                </Section>
                <State channel={one} steps={found} />
                <TestMessage channel={one} />
                <ChannelHours channel={one} />
                <FailedRequests channelId={channelId} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function EditButton({ channel }: { channel: Channel }) {
  const t = useText();
  const kinds = useChannelKinds();
  const [isOpen, setIsOpen] = useState(false);
  const info = kindOf(kinds.data ?? [], channel);
  const close = (): void => setIsOpen(false);
  return (
    <>
      <Button icon="edit" onClick={() => setIsOpen(true)}>
        {t('action.edit')}
      </Button>
      {isOpen && info && <ChannelForm info={info} channel={channel} onClose={close} onDone={close} />}
    </>
  );
}

/** The guides are pages of their own, outside of the console. */
function GuideLink({ channel }: { channel: Channel }) {
  const t = useText();
  const info = kindOf(useChannelKinds().data ?? [], channel);
  if (!info) return null;
  return (
    <a href={`${basePath}${info.help}`} target="_blank" rel="noreferrer">
      {t('channels.guide')}
    </a>
  );
}

/** What to do at the vendor. A step is ticked when something has been seen that shows it. */
function Steps({ steps }: { steps: readonly ChannelSetupStep[] }) {
  const { t, translate } = useTranslator();
  return (
    <ol className={styles.steps}>
      {steps.map((one, index) => (
        <li key={one.step} className={styles.step}>
          <span className={classes(styles.mark, one.status === 'done' && styles.done)}>
            {one.status === 'done' ? <Icon name="check" /> : index + 1}
          </span>
          <div className={styles.stepContent}>
            <p>
              {translate(one.step)}{' '}
              {one.status !== 'unknown' && (
                <span className="visually-hidden">
                  {t(one.status === 'done' ? 'channels.done' : 'channels.notDone')}
                </span>
              )}
            </p>
            <Addresses step={one} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function Addresses({ step: { webhookUrl, verifyToken, isReachable } }: { step: ChannelSetupStep }) {
  const t = useText();
  if (webhookUrl === null) return null;
  return (
    <dl className={styles.addresses}>
      <dt>{t('channels.webhookUrl')}</dt>
      <dd>
        <CopyText text={webhookUrl} />
        {!isReachable && (
          <p className={styles.warning}>
            <Icon name="warning" />
            {t('channels.unreachable')}
          </p>
        )}
      </dd>
      {verifyToken !== null && (
        <>
          <dt>{t('channels.verifyToken')}</dt>
          <dd>
            <CopyText text={verifyToken} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** What has been seen so far, and the vendor's answer when it is asked again. */
function State({ channel, steps }: { channel: Channel; steps: readonly ChannelSetupStep[] }) {
  const t = useText();
  const check = useCheck(channel.id);
  const timeOf = (kind: ChannelSetupStep['kind']) => {
    const at = steps.find((one) => one.kind === kind)?.seenAt ?? null;
    return at === null ? t('channels.never') : <RelativeTime at={at} />;
  };
  return (
    <Section title={t('channels.health')}>
      <Facts
        facts={[
          [t('channels.state'), <HealthBadge key="health" of={channel} />],
          [t('channels.lastReceived'), timeOf('receive')],
          [t('channels.lastSent'), timeOf('send')],
        ]}
      />
      <Button icon="check" isBusy={check.isPending} onClick={() => check.mutate()}>
        {t('channels.check')}
      </Button>
      <div className={styles.result} role="status">
        <CheckResult check={check} />
      </div>
    </Section>
  );
}
