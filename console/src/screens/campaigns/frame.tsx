import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import styles from './campaigns.module.css';

interface ListFrameProps {
  tab: 'campaigns' | 'segments';
  actions: ReactNode;
  children: ReactNode;
}

/** The frame of both lists. */
export function ListFrame({ tab, actions, children }: ListFrameProps) {
  const t = useText();
  const navigate = useNavigate();
  return (
    <Page title={t('campaigns.title')} actions={actions}>
      <div className={styles.tabs}>
        <Tabs
          label={t('campaigns.title')}
          tabs={[
            { id: 'campaigns', label: t('campaigns.title') },
            { id: 'segments', label: t('campaigns.segments') },
          ]}
          chosen={tab}
          onChoose={(next) =>
            void navigate({
              to: '/campaigns',
              search: (next === 'segments' ? { tab: 'segments' } : {}) as never,
            })
          }
        />
      </div>
      {children}
    </Page>
  );
}
