import {
  advanceClock,
  type Channel,
  type SandboxSettings,
  setSandboxFaults,
  updateChannel,
} from '@parley/sdk';
import type { ReactNode } from 'react';
import { client, queryClient, useWrite } from '../api/api.ts';
import { useChoice } from '../api/use-choice.ts';
import { useText, useTranslator } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Loaded } from '../ui/notices.tsx';
import { sandboxKey, useIsTest, useSandbox } from './data.ts';
import styles from './phone.module.css';

type Faults = SandboxSettings['faults'];

const FAIL_EVERY = [0, 1, 2, 5] as const;
const DELAYS_MS = [0, 2_000, 10_000] as const;
const SWITCHES = ['duplicate', 'reorder', 'echoBeforeResponse'] as const;
const STEPS = ['PT1H', 'P1D', 'P7D'] as const;

/** Whether the vendor behaves badly now. */
export const hasFaults = ({ failEvery, delayMs, ...switches }: Faults): boolean =>
  failEvery > 0 || delayMs > 0 || Object.values(switches).some(Boolean);

/** How the vendor and the time behave. */
export function Simulation({ channel, onDone }: { channel: Channel; onDone: () => void }) {
  const t = useText();
  const sandbox = useSandbox(channel.id);
  const isTest = useIsTest();
  return (
    <div className={styles.panel}>
      <h3>{t('phone.simulation')}</h3>
      <Loaded query={sandbox}>{(settings) => <Settings channel={channel} settings={settings} />}</Loaded>
      {isTest && <TestClock />}
      <div className={styles.buttons}>
        <Button onClick={onDone}>{t('phone.back')}</Button>
      </div>
    </div>
  );
}

function Settings({ channel, settings }: { channel: Channel; settings: SandboxSettings }) {
  const t = useText();
  const channelId = channel.id;
  const store = (part: Partial<SandboxSettings>): void =>
    void queryClient.setQueryData<SandboxSettings>(
      sandboxKey(channelId),
      (before) => before && { ...before, ...part },
    );
  const setFaults = useWrite(
    (next: Faults) => setSandboxFaults(client, { path: { channelId }, body: next }),
    { onSuccess: (faults) => store({ faults }) },
  );
  const setReads = useWrite(
    (reads: boolean) =>
      updateChannel(client, { path: { channelId }, body: { config: { readsAutomatically: reads } } }),
    { onSuccess: (_, readsAutomatically) => store({ readsAutomatically }) },
  );
  const [faults, chooseFaults] = useChoice(settings.faults, setFaults);
  const [readsAutomatically, chooseReads] = useChoice(settings.readsAutomatically, setReads);
  const isBusy = setFaults.isPending || setReads.isPending;
  const change = (part: Partial<Faults>): void => chooseFaults({ ...faults, ...part });
  return (
    <div className={styles.form} aria-busy={isBusy}>
      {(channel.kind === 'whatsapp' || channel.kind === 'instagram') && (
        <Switch isOn={readsAutomatically} isBusy={isBusy} onChange={chooseReads}>
          {t('phone.readsAutomatically')}
        </Switch>
      )}
      <SelectField
        label={t('phone.failEvery')}
        help={t('phone.failEveryHelp')}
        value={String(faults.failEvery)}
        options={[...new Set([...FAIL_EVERY, faults.failEvery])].map((count) => ({
          value: String(count),
          label:
            count === 0
              ? t('phone.failNone')
              : count === 1
                ? t('phone.failAll')
                : t('phone.failNth', { count }),
        }))}
        onChange={(value) => change({ failEvery: Number(value) })}
      />
      <SelectField
        label={t('phone.delay')}
        value={String(faults.delayMs)}
        options={[...new Set([...DELAYS_MS, faults.delayMs])].map((ms) => ({
          value: String(ms),
          label: ms === 0 ? t('phone.delayNone') : t('phone.delaySeconds', { count: ms / 1000 }),
        }))}
        onChange={(value) => change({ delayMs: Number(value) })}
      />
      {SWITCHES.map((name) => (
        <Switch key={name} isOn={faults[name]} isBusy={isBusy} onChange={(isOn) => change({ [name]: isOn })}>
          {t(`phone.failure.${name}`)}
        </Switch>
      ))}
      {hasFaults(faults) && (
        <Button isBusy={isBusy} onClick={() => chooseFaults(NONE)}>
          {t('phone.failuresOff')}
        </Button>
      )}
    </div>
  );
}

const NONE: Faults = {
  duplicate: false,
  reorder: false,
  failEvery: 0,
  delayMs: 0,
  echoBeforeResponse: false,
};

interface SwitchProps {
  isOn: boolean;
  isBusy: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
}

const Switch = ({ isOn, isBusy, onChange, children }: SwitchProps) => (
  <label className={styles.switch}>
    <input
      type="checkbox"
      checked={isOn}
      disabled={isBusy}
      onChange={(event) => onChange(event.target.checked)}
    />
    <span>{children}</span>
  </label>
);

/** Moves the clock of a test tenant, so that waits end and statuses come. */
function TestClock() {
  const { t, formatDate } = useTranslator();
  const advance = useWrite((by: string) => advanceClock(client, { body: { by } }));
  return (
    <section className={styles.form}>
      <h4>{t('phone.clock')}</h4>
      <p className={styles.muted}>
        {advance.data
          ? t('phone.clockIs', { at: formatDate(new Date(advance.data.now), 'full') })
          : t('phone.clockHelp')}
      </p>
      <div className={styles.buttons}>
        {STEPS.map((by) => (
          <Button key={by} isBusy={advance.isPending} onClick={() => advance.mutate(by)}>
            {t(`phone.clock.${by}`)}
          </Button>
        ))}
      </div>
    </section>
  );
}
