import { useText } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Column } from '../../ui/table.tsx';

interface Actions<T> {
  nameOf: (row: T) => string;
  onEdit?: (row: T) => void;
  onRemove: (row: T) => void;
}

/** The column with what may be done to a row; none for those who may do nothing. */
export function useActions<T>(
  isAllowed: boolean,
  { nameOf, onEdit, onRemove }: Actions<T>,
): readonly Column<T>[] {
  const t = useText();
  if (!isAllowed) return [];
  return [
    {
      id: 'actions',
      title: t('action.more'),
      hidesTitle: true,
      align: 'end',
      cell: (row) => (
        <Menu
          label={t('settings.actions', { name: nameOf(row) })}
          items={[
            ...(onEdit
              ? [{ id: 'edit', label: t('action.edit'), icon: 'edit' as const, run: () => onEdit(row) }]
              : []),
            {
              id: 'remove',
              label: t(onEdit ? 'action.delete' : 'action.revoke'),
              icon: 'trash',
              isDanger: true,
              run: () => onRemove(row),
            },
          ]}
        >
          <Icon name="more" />
        </Menu>
      ),
    },
  ];
}
