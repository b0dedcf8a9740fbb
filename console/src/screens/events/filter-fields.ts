import { searchChannels } from '@parley/sdk';
import { useContact } from '../../api/contacts.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { eventTypes, isEventType } from '../../explain/event-types.ts';
import { useText } from '../../i18n/i18n.tsx';
import { type FilterField, readFilter } from '../../ui/filter.ts';
import { EVENT_GROUPS, eventFilters } from './filter.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The conditions on events as people see them. */
export function useEventFields(filter: string): readonly FilterField[] {
  const t = useText();
  const channels = useAll(['channels'], searchChannels, { enabled: useScope('channels:read') }).data ?? [];
  const contactId = readFilter(eventFilters, filter)?.find(({ field }) => field === 'contact')?.value ?? '';
  const canRead = useScope('contacts:read');
  const contact = useContact(contactId, canRead && UUID.test(contactId)).data;
  const nameOfType = (value: string): string => {
    const group = EVENT_GROUPS.find((name) => value === `${name}.*`);
    if (group) return t(`events.group.${group}`);
    return isEventType(value) ? t(`eventType.${value}`) : value;
  };
  const options = channels.map(({ id, name }) => ({ value: id, label: name }));
  const plain = (id: 'chat' | 'text'): FilterField => ({
    id,
    title: t(`events.field.${id}`),
    describe: (value) => t(`events.chip.${id}`, { value }),
  });
  return [
    {
      id: 'type',
      title: t('events.field.type'),
      describe: (value) => t('events.chip.type', { value: nameOfType(value) }),
      options: [...EVENT_GROUPS.map((name) => `${name}.*`), ...eventTypes].map((value) => ({
        value,
        label: value.endsWith('*') ? nameOfType(value) : `${nameOfType(value)} (${value})`,
      })),
    },
    plain('text'),
    {
      id: 'contact',
      title: t('events.field.contact'),
      describe: (value) =>
        t('events.chip.contact', { value: (value === contactId && contact?.displayName) || value }),
    },
    plain('chat'),
    {
      id: 'channel',
      title: t('events.field.channel'),
      describe: (value) =>
        t('events.chip.channel', { value: options.find((one) => one.value === value)?.label ?? value }),
      options,
    },
  ];
}
