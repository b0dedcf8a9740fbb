import type { Trace as TraceData } from '@parley/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { statusOf } from '../../api/errors.ts';
import { useTrace } from '../../explain/data.ts';
import { traceAddress } from '../../explain/links.ts';
import { TraceTree } from '../../explain/trace-tree.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { EmptyState, Loaded, Warning } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import styles from './trace.module.css';

/** What caused a message, an event, a run, a delivery or a vendor's request, and what followed from it. */
export function Trace() {
  const t = useText();
  const { traceId } = useParams({ strict: false }) as { traceId?: string };
  return (
    <Page
      title={t('trace.title')}
      actions={traceId !== undefined && <CopyButton text={location.href} label={t('trace.copyLink')} />}
    >
      {traceId === undefined ? <AskForId /> : <OneTrace key={traceId} id={traceId} />}
    </Page>
  );
}

function AskForId() {
  const t = useText();
  const navigate = useNavigate();
  const [id, setId] = useState('');
  return (
    <div className={styles.start}>
      <EmptyState icon="trace" title={t('trace.start')}>
        {t('trace.startText')}
      </EmptyState>
      <Form onSubmit={() => void navigate(traceAddress(id.trim()))}>
        <TextField
          label={t('trace.id')}
          help={t('trace.idHelp')}
          value={id}
          onChange={(event) => setId(event.target.value)}
          maxLength={1000}
          required
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" look="primary">
          {t('trace.find')}
        </Button>
      </Form>
    </div>
  );
}

function OneTrace({ id }: { id: string }) {
  const t = useText();
  const navigate = useNavigate();
  const trace = useTrace(id);
  if (statusOf(trace.error) === 404)
    return (
      <EmptyState
        icon="search"
        title={t('trace.gone')}
        action={<Button onClick={() => void navigate({ to: '/trace' })}>{t('trace.other')}</Button>}
      >
        {t('trace.goneText')}
      </EmptyState>
    );
  return (
    <Loaded query={trace} lines={8}>
      {(data: TraceData) => (
        <div className={styles.trace}>
          <p className={styles.text}>
            {t('trace.text')} <span className={styles.keys}>{t('trace.keys')}</span>
          </p>
          {!data.isComplete && <Warning>{t('trace.incomplete')}</Warning>}
          <TraceTree askedId={id} trace={data} />
        </div>
      )}
    </Loaded>
  );
}
