import { cancelImport, type Import } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice, Loaded, Warning } from '../../ui/notices.tsx';
import { IMPORTS_KEY, isRunning, useImport } from './data.ts';
import { ImportResult, usableRows } from './result.tsx';

interface JobStepProps {
  importId: string;
  /** Leads back to the columns; left out where the file is not at hand. */
  onBack?: () => void;
  /** Imports what was checked. */
  onStart?: () => void;
  isStarting?: boolean;
  error?: unknown;
  onDone?: ((done: Import) => void) | undefined;
  onClose: (isStillRunning: boolean) => void;
}

/** A check or an import in a window: how far it has come, and what came of it. */
export function JobStep({
  importId,
  onBack,
  onStart,
  isStarting = false,
  error,
  onDone,
  onClose,
}: JobStepProps) {
  const t = useText();
  const cache = useQueryClient();
  const query = useImport(importId);
  const cancel = useWrite(() => cancelImport(client, { path: { importId } }), {
    invalidates: [IMPORTS_KEY],
  });
  const { data } = query;
  const isOver = data !== undefined && !isRunning(data);
  const isDone = data?.status === 'completed' && !data.dryRun;
  const end = useEffectEvent(() => {
    // Without events of their own, as in a very large import, the lists would not know.
    void cache.invalidateQueries({ queryKey: ['contacts'] });
    onDone?.(data as Import);
  });
  useEffect(() => {
    if (isDone) end();
  }, [isDone]);
  const canStart = onStart && isOver && data.dryRun && data.status === 'completed';
  const usable = data ? usableRows(data) : 0;
  const close = (): void => onClose(!isOver);
  /** What comes next has the focus, so that a keyboard leads through all steps. */
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOver) next.current?.focus();
  }, [isOver]);
  return (
    <Dialog
      title={data?.filename ?? t('imports.new')}
      onClose={close}
      isWide
      actions={
        <>
          {onBack && isOver && !isDone && (
            <Button look="quiet" onClick={onBack}>
              {t('imports.back')}
            </Button>
          )}
          {data && !isOver && (
            <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
              {t('imports.stop')}
            </Button>
          )}
          <Button ref={canStart ? undefined : next} look={isDone ? 'primary' : 'normal'} onClick={close}>
            {t(isOver ? 'action.close' : 'imports.background')}
          </Button>
          {canStart && (
            <Button ref={next} look="primary" isBusy={isStarting} disabled={usable === 0} onClick={onStart}>
              {t('imports.start', { count: usable })}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query} lines={2}>
        {(shown) => <ImportResult of={shown} />}
      </Loaded>
      {canStart && usable === 0 && <Warning>{t('imports.nothingToImport')}</Warning>}
      {error ? <ErrorNotice error={error} /> : null}
    </Dialog>
  );
}
