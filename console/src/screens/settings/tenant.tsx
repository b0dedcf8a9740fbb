import { getMe, getTenantSettings, type Me, type TenantSettings, updateTenantSettings } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, SESSION_KEY, useRead, useWrite } from '../../api/api.ts';
import { isShownByFields, issueOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { ErrorNotice, Loaded } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './settings.module.css';
import { SystemMail } from './system-mail.tsx';

const KEY = ['tenant'];
const FIELDS = ['name', 'timezone', 'locale'] as const;
const MAX = { name: 255, timezone: 64, locale: 35 } as const;

/** What a tenant is called, where it is, and how much it may have. */
export function Tenant() {
  const t = useText();
  const settings = useRead(KEY, (signal) => getTenantSettings(client, { signal }), { freshMs: 0 });
  const me = useRead(['me'], (signal) => getMe(client, { signal }));
  return (
    <Page title={t('tenant.title')}>
      <Loaded query={settings} lines={8}>
        {(found) => (
          <>
            <General key={found.updatedAt} settings={found} />
            <Section title={t('tenant.mail')} text={t('tenant.mailText')}>
              <SystemMail
                state={found.systemMail}
                link={
                  found.systemMail.channelId !== null && (
                    <Link to={`/channels/${found.systemMail.channelId}`}>{t('systemMail.channel')}</Link>
                  )
                }
              />
            </Section>
            <Section title={t('tenant.plan')} text={t('tenant.planText')}>
              <Loaded query={me} lines={6}>
                {(caller) => <Limits me={caller} usage={found.usage} />}
              </Loaded>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Only the owner changes them; others see them. */
function General({ settings }: { settings: TenantSettings }) {
  const t = useText();
  const canWrite = useScope('tenant:write');
  const [values, setValues] = useState<Partial<Record<(typeof FIELDS)[number], string>>>({});
  const changed = FIELDS.filter(
    (name) => values[name] !== undefined && values[name].trim() !== settings[name],
  );
  const save = useWrite(
    () =>
      updateTenantSettings(client, {
        body: Object.fromEntries(changed.map((name) => [name, values[name]?.trim()])),
      }),
    { invalidates: [KEY, ['me'], SESSION_KEY], done: 'saved', showsError: true },
  );
  return (
    <Section title={t('tenant.general')} text={t(canWrite ? 'tenant.generalText' : 'tenant.ownersOnly')}>
      <Form onSubmit={() => save.mutate()}>
        {FIELDS.map((name) => (
          <TextField
            key={name}
            label={t(`tenant.${name}`)}
            {...(name !== 'name' && { help: t(`tenant.${name}Help`) })}
            value={values[name] ?? settings[name]}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            error={issueOf(save.error, name)}
            maxLength={MAX[name]}
            autoComplete="off"
            disabled={!canWrite}
            {...(name === 'timezone' && { list: 'timezones' })}
            required
          />
        ))}
        <datalist id="timezones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {save.error && !isShownByFields(save.error, FIELDS) ? <ErrorNotice error={save.error} /> : null}
        {canWrite && (
          <Button type="submit" isBusy={save.isPending} disabled={changed.length === 0}>
            {t('action.save')}
          </Button>
        )}
      </Form>
    </Section>
  );
}

type LimitName = keyof Me['limits'];
const isCounted = (name: LimitName, usage: TenantSettings['usage']): name is keyof typeof usage =>
  Object.hasOwn(usage, name);
/** From so much on it is time to do something. */
const NEARLY = 0.9;

/** What the tenant may have, and how much of it is used. Rates have no use that could be shown. */
function Limits({ me, usage }: { me: Me; usage: TenantSettings['usage'] }) {
  const { t, formatNumber, formatBytes } = useTranslator();
  const names = Object.keys(me.limits) as LimitName[];
  const show = (name: LimitName, value: number): string =>
    name === 'storageBytes' ? formatBytes(value) : formatNumber(value);
  return (
    <div className={styles.wide}>
      <p className={styles.plan}>
        {t('tenant.planName')} <Badge>{t(`plan.${me.plan}`)}</Badge>
      </p>
      <Table<LimitName>
        label={t('tenant.plan')}
        rows={names}
        keyOf={(name) => name}
        columns={[
          { id: 'name', title: t('tenant.limit'), cell: (name) => t(`limit.${name}`) },
          {
            id: 'used',
            title: t('tenant.used'),
            align: 'end',
            cell: (name) => {
              if (!isCounted(name, usage)) return '–';
              const isNear = usage[name] >= me.limits[name] * NEARLY;
              return isNear ? <Badge look="warn">{show(name, usage[name])}</Badge> : show(name, usage[name]);
            },
          },
          {
            id: 'most',
            title: t('tenant.most'),
            align: 'end',
            cell: (name) => show(name, me.limits[name]),
          },
        ]}
      />
    </div>
  );
}
