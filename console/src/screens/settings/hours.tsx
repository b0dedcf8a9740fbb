import { getTenantSettings, updateTenantSettings } from '@parley/sdk';
import { client, useRead, useWrite } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import type { Hours as HoursOfTenant } from '../../hours/draft.ts';
import { HoursEditor } from '../../hours/hours-editor.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import styles from './settings.module.css';

const KEY = ['tenant'];

/** When the tenant is open, and when it sends no marketing. */
export function Hours() {
  const t = useText();
  const canWrite = useScope('tenant:write');
  const settings = useRead(KEY, (signal) => getTenantSettings(client, { signal }));
  const save = useWrite((body: HoursOfTenant) => updateTenantSettings(client, { body }), {
    invalidates: [KEY, ['hours']],
    done: 'saved',
    showsError: true,
  });
  return (
    <Page title={t('hours.title')}>
      <Loaded query={settings} lines={12}>
        {(found) => (
          <>
            <p className={styles.intro}>
              {t('hours.intro', { timezone: found.timezone })} {!canWrite && t('tenant.ownersOnly')}
            </p>
            <HoursEditor hours={found} canWrite={canWrite} save={save} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
