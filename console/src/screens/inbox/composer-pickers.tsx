import { type Chat, renderSavedReply, type SavedReply, type User } from '@parley/sdk';
import { client, useWrite } from '../../api/api.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useSavedReplies, useUsers } from './data.ts';
import { Picker } from './picker.tsx';

interface SavedRepliesProps {
  chat: Chat;
  /** With everything filled in for the chat. */
  onPick: (text: string, media: SavedReply['media']) => void;
  onClose: () => void;
}

/** The texts that were saved for this channel. It stays open until the one that was picked is filled in. */
export function SavedReplies({ chat, onPick, onClose }: SavedRepliesProps) {
  const t = useText();
  const { data: replies = [], isPending } = useSavedReplies();
  const render = useWrite(({ id }: SavedReply) =>
    renderSavedReply(client, { path: { savedReplyId: id }, body: { chatId: chat.id } }),
  );
  const usable = replies.filter(
    ({ channelIds }) => channelIds.length === 0 || channelIds.includes(chat.channelId),
  );
  return (
    <Picker
      title={t('composer.savedReplies')}
      placeholder={t('composer.savedRepliesPlaceholder')}
      choices={usable.map(({ id, shortcut, text, media }) => ({
        id,
        label: `/${shortcut}`,
        detail: [text, ...media.map(({ filename }) => filename)].join(' · '),
        picture: media.length > 0 && <Icon name="attach" />,
      }))}
      empty={t('composer.noSavedReplies')}
      isWaiting={isPending}
      isBusy={render.isPending}
      onPick={(id) => {
        const picked = usable.find((one) => one.id === id);
        // Unlike an option of the hook, this is not called any more when the chat was left.
        if (picked) render.mutate(picked, { onSuccess: ({ text }) => onPick(text, picked.media) });
      }}
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
  const { data: users = [], isPending } = useUsers();
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
      isWaiting={isPending}
      onPick={(id) => {
        const user = users.find((one) => one.id === id);
        if (user) onPick(user);
      }}
      onClose={onClose}
    />
  );
}
