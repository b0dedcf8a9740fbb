import { type Automation, createAutomation, deleteAutomation, setAutomationStatus } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { useShowError } from '../../ui/toast.tsx';
import { AUTOMATIONS_KEY, bodyOf, storeAutomation } from './data.ts';
import { definitionOf } from './steps.ts';

type Status = Automation['status'];

const LOOKS = { active: 'good', draft: 'plain', inactive: 'warn', archived: 'plain' } as const;

export function StatusBadge({ status }: { status: Status }) {
  const t = useText();
  return <Badge look={LOOKS[status]}>{t(`automations.status.${status}`)}</Badge>;
}

/** Which status can follow, as the API allows it. A draft becomes active by publishing. */
const FOLLOWING: Readonly<Record<Status, readonly Exclude<Status, 'draft'>[]>> = {
  draft: ['archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
};
const ICONS = { active: 'check', inactive: 'clock', archived: 'inbox' } as const;

interface Asked {
  kind: 'delete' | 'status';
  automation: Automation;
  status?: Exclude<Status, 'draft'>;
}

/** What can be done to an automation, and the window that asks before something is destroyed. */
export function useAutomationActions(): {
  itemsOf: (automation: Automation) => readonly MenuItem[];
  dialog: ReactNode;
} {
  const t = useText();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const showError = useShowError();
  const [asked, setAsked] = useState<Asked>();
  const change = useWrite(
    ({
      automation,
      status,
      isForced,
    }: {
      automation: Automation;
      status: Exclude<Status, 'draft'>;
      isForced: boolean;
    }) =>
      setAutomationStatus(client, {
        path: { automationId: automation.id },
        ...(isForced ? { query: { force: true } } : {}),
        body: { status },
      }),
    {
      onSuccess: (changed) => {
        storeAutomation(cache, changed);
        setAsked(undefined);
      },
      showsError: true,
    },
  );
  const duplicate = useWrite(
    (automation: Automation) =>
      createAutomation(client, {
        body: {
          name: t('automations.copyOf', { name: automation.name }).slice(0, 200),
          ...bodyOf(definitionOf(automation.latestVersion)),
        },
      }),
    { invalidates: [AUTOMATIONS_KEY], onSuccess: ({ id }) => void navigate({ to: `/automations/${id}` }) },
  );
  const setStatus = (automation: Automation, status: Exclude<Status, 'draft'>): void =>
    change.mutate(
      { automation, status, isForced: false },
      {
        onError: (error) => {
          // A campaign uses it: those who insist can stop it anyway.
          if (status !== 'active' && statusOf(error) === 409)
            setAsked({ kind: 'status', automation, status });
          else showError(error);
        },
      },
    );
  const itemsOf = (automation: Automation): readonly MenuItem[] => [
    ...FOLLOWING[automation.status].map((status) => ({
      id: status,
      label: t(`automations.set.${status}`),
      icon: ICONS[status],
      run: () => setStatus(automation, status),
    })),
    {
      id: 'duplicate',
      label: t('automations.duplicate'),
      icon: 'copy',
      run: () => duplicate.mutate(automation),
    },
    {
      id: 'delete',
      label: t('automations.delete'),
      icon: 'trash',
      isDanger: true,
      startsGroup: true,
      run: () => setAsked({ kind: 'delete', automation }),
    },
  ];
  return {
    itemsOf,
    dialog: asked && (
      <AskDialog
        {...asked}
        change={{
          isPending: change.isPending,
          error: change.error,
          mutate: () =>
            asked.status &&
            change.mutate({ automation: asked.automation, status: asked.status, isForced: true }),
        }}
        onClose={() => {
          change.reset();
          setAsked(undefined);
        }}
      />
    ),
  };
}

interface AskDialogProps extends Asked {
  change: { mutate(): void; isPending: boolean; error: unknown };
  onClose: () => void;
}

function AskDialog({ kind, automation, change, onClose }: AskDialogProps) {
  const t = useText();
  const navigate = useNavigate();
  const [isForced, setIsForced] = useState(false);
  const remove = useWrite(
    () =>
      deleteAutomation(client, {
        path: { automationId: automation.id },
        ...(isForced ? { query: { force: true } } : {}),
      }),
    {
      invalidates: [[...AUTOMATIONS_KEY, 'all']],
      showsError: true,
      onSuccess: () => {
        onClose();
        void navigate({ to: '/automations' });
      },
    },
  );
  const { name } = automation;
  return kind === 'delete' ? (
    <ConfirmDialog
      title={t('automations.deleteTitle', { name })}
      text={t('automations.deleteText', { name })}
      action={isForced ? t('automations.anyway') : t('automations.delete')}
      typed={name}
      write={{
        ...remove,
        mutate: () => remove.mutate(undefined, { onError: (error) => setIsForced(statusOf(error) === 409) }),
      }}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog
      title={t('automations.statusTitle', { name })}
      text={t('automations.statusText')}
      action={t('automations.anyway')}
      write={change}
      onClose={onClose}
    />
  );
}
