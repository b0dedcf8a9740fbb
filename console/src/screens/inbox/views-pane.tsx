import type { View } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useCanExport, useScope, useWorkspace } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useCommands } from '../../keys/commands.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { useCounts } from './data.ts';
import styles from './inbox.module.css';
import { DeleteViewDialog, ViewDialog } from './view-dialog.tsx';
import { BUILT_IN, titleKeyOf, VIEW_ICONS } from './views.ts';

interface ViewsProps {
  current: string;
  saved: readonly View[];
  counts: ReturnType<typeof useCounts>;
}

interface ViewsPaneProps extends ViewsProps {
  /** Where the chats of the list are downloaded. */
  exportPath: string;
}

/** What of the views is being changed. */
type Changing = { kind: 'new' } | { kind: 'edit' | 'delete'; view: View };

/** All views with how many chats they have. Those that are saved can be changed by who made them, and by admins. */
export function ViewsPane({ current, saved, counts, exportPath }: ViewsPaneProps) {
  const t = useText();
  const navigate = useNavigate();
  const { userId } = useWorkspace().membership;
  const canWrite = useScope('chats:write');
  const isAdmin = useScope('users:write');
  const [changing, setChanging] = useState<Changing>();
  const exported = useRef<HTMLAnchorElement>(null);
  const canExport = useCanExport();
  const close = (): void => setChanging(undefined);
  const show = (id: string): void => void navigate({ to: '/inbox', search: { view: id } as never });
  const mayChange = (view: View): boolean => canWrite && (isAdmin || view.userId === userId);
  const shown = saved.find(({ id }) => id === current);
  // Where the views are a list in one line, the palette has the same.
  useCommands([
    ...(canExport
      ? [
          {
            id: 'chats-export',
            label: t('inbox.export'),
            icon: 'download' as const,
            group: 'actions' as const,
            run: () => exported.current?.click(),
          },
        ]
      : []),
    ...(canWrite
      ? [
          {
            id: 'view-new',
            label: t('views.new'),
            icon: 'filter' as const,
            group: 'actions' as const,
            run: () => setChanging({ kind: 'new' }),
          },
        ]
      : []),
    ...(shown && mayChange(shown)
      ? (['edit', 'delete'] as const).map((kind) => ({
          id: `view-${kind}`,
          label: t(`views.${kind}`),
          icon: 'filter' as const,
          group: 'actions' as const,
          run: () => setChanging({ kind, view: shown }),
        }))
      : []),
  ]);
  const linkOf = (id: string, icon: IconName, title: string) => (
    <Link
      to="/inbox"
      search={{ view: id } as never}
      className={classes(styles.view, current === id && styles.current)}
      aria-current={current === id ? 'true' : undefined}
    >
      <Icon name={icon} />
      <span className={styles.viewName} dir="auto">
        {title}
      </span>
      <Count count={counts.get(id)} />
    </Link>
  );
  return (
    <>
      <nav className={styles.views} aria-label={t('inbox.views')}>
        <p className={styles.heading}>{t('inbox.title')}</p>
        <ul>
          {BUILT_IN.map((id) => (
            <li key={id}>{linkOf(id, VIEW_ICONS[id], t(titleKeyOf(id)))}</li>
          ))}
        </ul>
        {(saved.length > 0 || canWrite) && (
          <div className={styles.subheading}>
            <h2>{t('inbox.saved')}</h2>
            {canWrite && (
              <IconButton icon="plus" label={t('views.new')} onClick={() => setChanging({ kind: 'new' })} />
            )}
          </div>
        )}
        <ul>
          {saved.map((view) => (
            <li key={view.id} className={classes(styles.saved, mayChange(view) && styles.changeable)}>
              {linkOf(view.id, view.isShared ? 'people' : 'filter', view.name)}
              {mayChange(view) && (
                <Menu
                  label={t('views.actions', { name: view.name })}
                  className={styles.viewMenu}
                  items={[
                    {
                      id: 'edit',
                      label: t('views.edit'),
                      icon: 'edit',
                      run: () => setChanging({ kind: 'edit', view }),
                    },
                    {
                      id: 'delete',
                      label: t('views.delete'),
                      icon: 'trash',
                      isDanger: true,
                      run: () => setChanging({ kind: 'delete', view }),
                    },
                  ]}
                >
                  <Icon name="more" />
                </Menu>
              )}
            </li>
          ))}
        </ul>
        {canExport && (
          <a ref={exported} className={classes(styles.view, styles.export)} href={exportPath} download>
            <Icon name="download" />
            <span className={styles.viewName}>{t('inbox.export')}</span>
          </a>
        )}
      </nav>
      {changing && changing.kind !== 'delete' && (
        <ViewDialog
          view={changing.kind === 'edit' ? changing.view : undefined}
          onClose={close}
          onSaved={({ id }) => {
            close();
            show(id);
          }}
        />
      )}
      {changing?.kind === 'delete' && (
        <DeleteViewDialog
          view={changing.view}
          onClose={close}
          onDeleted={() => {
            close();
            if (changing.view.id === current) show('open');
          }}
        />
      )}
    </>
  );
}

function Count({ count }: { count: { total: number; totalIsCapped: boolean } | undefined }) {
  const { formatNumber } = useTranslator();
  if (!count || count.total === 0) return null;
  return (
    <span className={styles.viewCount}>
      {formatNumber(count.total)}
      {count.totalIsCapped && '+'}
    </span>
  );
}

/** The same in one line, where there is no place for a column. */
export function ViewSelect({
  current,
  saved,
  counts,
  onChoose,
}: ViewsProps & { onChoose: (id: string) => void }) {
  const { t, formatNumber } = useTranslator();
  const countOf = (id: string): string => {
    const total = counts.get(id)?.total;
    return total ? ` (${formatNumber(total)})` : '';
  };
  return (
    <select
      className={styles.select}
      aria-label={t('inbox.views')}
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {BUILT_IN.map((id) => (
        <option key={id} value={id}>
          {t(titleKeyOf(id)) + countOf(id)}
        </option>
      ))}
      {saved.map(({ id, name }) => (
        <option key={id} value={id}>
          {name + countOf(id)}
        </option>
      ))}
    </select>
  );
}
