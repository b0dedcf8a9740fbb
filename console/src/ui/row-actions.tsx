import { useText } from '../i18n/i18n.tsx';
import { Icon } from './icon.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import type { Column } from './table.tsx';

interface RowActions<T> {
  nameOf: (row: T) => string;
  /** What may be done to a row; with nothing it has no button. */
  itemsOf: (row: T) => readonly MenuItem[];
}

/** The column with what may be done to a row; none for those who may do nothing. */
export function useRowActions<T>(
  isAllowed: boolean,
  { nameOf, itemsOf }: RowActions<T>,
): readonly Column<T>[] {
  const t = useText();
  if (!isAllowed) return [];
  return [
    {
      id: 'actions',
      title: t('action.more'),
      hidesTitle: true,
      align: 'end',
      cell: (row) => {
        const items = itemsOf(row);
        return (
          items.length > 0 && (
            <Menu label={t('settings.actions', { name: nameOf(row) })} items={items}>
              <Icon name="more" />
            </Menu>
          )
        );
      },
    },
  ];
}
