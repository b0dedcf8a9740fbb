import { useText } from '../../i18n/i18n.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import type { Column } from '../../ui/table.tsx';

interface Actions<T> {
  nameOf: (row: T) => string;
  onEdit?: (row: T) => void;
  onRemove: (row: T) => void;
}

/** The column for rows that are edited and deleted; without `onEdit` they are revoked. */
export function useActions<T>(
  isAllowed: boolean,
  { nameOf, onEdit, onRemove }: Actions<T>,
): readonly Column<T>[] {
  const t = useText();
  return useRowActions<T>(isAllowed, {
    nameOf,
    itemsOf: (row) => [
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
    ],
  });
}
