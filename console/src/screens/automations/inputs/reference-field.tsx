import { searchSecrets } from '@parley/sdk';
import { useAll } from '../../../api/lists.ts';
import { useScope } from '../../../api/session.tsx';
import { useReferences } from '../../../flow/names.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField } from '../../../ui/field.tsx';
import type { ReferenceKind } from '../fields.ts';
import { type InputProps, textOf } from './input.ts';

type Option = { value: string; label: string };

/** What can be chosen. */
function useOptions(kind: ReferenceKind): readonly Option[] {
  const { labels, channels, users, teams, templates, attributes } = useReferences();
  const secrets = useAll(['secrets'], searchSecrets, {
    enabled: useScope('automations:read') && kind === 'secret',
  }).data;
  const byId = (all: readonly { id: string; name: string }[] = []): Option[] =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  switch (kind) {
    case 'label':
      return byId(labels);
    case 'channel':
      return byId(channels);
    case 'user':
      return byId(users);
    case 'team':
      return byId(teams);
    case 'template':
      // Templates of two channels can have the same name.
      return (templates ?? []).map(({ id, name, language, channelId }) => {
        const channel = channels?.find((one) => one.id === channelId)?.name;
        return { value: id, label: `${name} (${language})${channel === undefined ? '' : ` · ${channel}`}` };
      });
    case 'attribute':
      return (attributes ?? []).map(({ externalId, name }) => ({ value: externalId, label: name }));
    case 'secret':
      return (secrets ?? []).map(({ name }) => ({ value: name, label: name }));
  }
}

const NOBODY = '$null';

interface ReferenceFieldProps extends InputProps {
  to: ReferenceKind;
  isRequired: boolean;
  canBeNull: boolean;
}

/** Something that exists: a label, a channel, a person. */
export function ReferenceField({
  label,
  value,
  error,
  onChange,
  to,
  isRequired,
  canBeNull,
}: ReferenceFieldProps) {
  const t = useText();
  const known = useOptions(to);
  const chosen = value === null ? NOBODY : textOf(value);
  const isUnknown = chosen !== '' && chosen !== NOBODY && !known.some((one) => one.value === chosen);
  const empty = to === 'channel' ? t('automations.anyChannel') : t('automations.unchanged');
  const options = [
    { value: '', label: isRequired ? t('automations.choose') : empty },
    ...(canBeNull ? [{ value: NOBODY, label: t('flow.nobody') }] : []),
    ...known,
    // It was deleted, or the list is not read yet.
    ...(isUnknown ? [{ value: chosen, label: t('flow.deleted') }] : []),
  ];
  return (
    <SelectField
      label={label}
      value={chosen}
      error={error}
      options={options}
      onChange={(next) => {
        if (next === NOBODY) onChange(null, '');
        else onChange(next === '' && !isRequired ? undefined : next, '');
      }}
    />
  );
}
