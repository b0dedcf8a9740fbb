import type { User } from '@parley/sdk';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { useSavedReplies, useUsers } from './data.ts';
import { Picker } from './picker.tsx';

interface SavedRepliesProps {
  channelId: string;
  onPick: (id: string) => void;
  onClose: () => void;
}

/** The texts that were saved for this channel. */
export function SavedReplies({ channelId, onPick, onClose }: SavedRepliesProps) {
  const t = useText();
  const replies = useSavedReplies().data ?? [];
  const usable = replies.filter(
    ({ channelIds }) => channelIds.length === 0 || channelIds.includes(channelId),
  );
  return (
    <Picker
      title={t('composer.savedReplies')}
      placeholder={t('composer.savedRepliesPlaceholder')}
      choices={usable.map(({ id, shortcut, text }) => ({ id, label: `/${shortcut}`, detail: text }))}
      empty={t('composer.noSavedReplies')}
      onPick={onPick}
      onClose={onClose}
    />
  );
}

interface MentionsProps {
  onPick: (user: Pick<User, 'id' | 'name'>) => void;
  onClose: () => void;
}

/** Whom a note is to reach. */
export function Mentions({ onPick, onClose }: MentionsProps) {
  const t = useText();
  const users = useUsers().data ?? [];
  return (
    <Picker
      title={t('composer.mention')}
      placeholder={t('composer.mentionPlaceholder')}
      choices={users.map(({ id, name }) => ({
        id,
        label: name,
        picture: <Avatar name={name} id={id} size="small" />,
      }))}
      empty=""
      onPick={(id) => {
        const user = users.find((one) => one.id === id);
        if (user) onPick(user);
      }}
      onClose={onClose}
    />
  );
}
