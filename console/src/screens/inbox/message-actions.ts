import { cancelMessage, type Message } from '@parley/sdk';
import type { RefObject } from 'react';
import { client } from '../../api/api.ts';
import { hasQuotes } from '../../api/channel-kinds.ts';
import { listIn, textIn } from '../../api/content.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { useShowError, useToast } from '../../ui/toast.tsx';
import { storedFilesOf } from './attachment.ts';
import type { ComposerHandle } from './composer.tsx';
import { useChannel } from './data.ts';
import { removeMessage } from './thread-cache.ts';

/** Whether it waits for its time. */
const isScheduled = ({ status, scheduledAt }: Message): boolean =>
  status === 'queued' && scheduledAt !== null;

/** What an agent can do with a message, besides asking about it. */
export function useMessageActions(
  message: Message,
  composer: RefObject<ComposerHandle | null>,
): readonly MenuItem[] {
  const t = useText();
  const toast = useToast();
  const showError = useShowError();
  const canSend = useScope('messages:write');
  const kind = useChannel(message.channelId)?.kind;
  const { id, text, sender, status, type, content, media, deletedAt } = message;
  if (deletedAt !== null) return [];
  const files = storedFilesOf(media);
  const hasParts = text !== null || files.length > 0;
  const restore = (): boolean | undefined =>
    composer.current?.restore({
      reply: text ?? '',
      buttons: listIn(content, 'buttons').flatMap((button) => textIn(button, 'title') ?? []),
      files,
    });

  async function cancel(): Promise<void> {
    try {
      await cancelMessage(client, { path: { messageId: id } });
      removeMessage(message);
      // What was written is not lost with it.
      const isKept = hasParts && restore() === true;
      toast({ text: t(isKept ? 'message.cancelledKept' : 'message.cancelled') });
    } catch (error) {
      showError(error);
    }
  }
  const items: (MenuItem | false)[] = [
    canSend &&
      isScheduled(message) && {
        id: 'cancel',
        label: t('message.cancel'),
        icon: 'close',
        run: () => void cancel(),
      },
    canSend &&
      status === 'failed' &&
      hasParts && {
        id: 'again',
        label: t('message.again'),
        icon: 'undo',
        run: () => {
          if (restore() === false) toast({ text: t('message.notAgain'), look: 'bad' });
        },
      },
    canSend &&
      sender === 'inbound' &&
      (hasQuotes(kind) || type === 'comment') && {
        id: 'answer',
        label: t('message.answer'),
        icon: 'reply',
        run: () => composer.current?.answer(message),
      },
    text !== null &&
      // Plain http has no clipboard; the text can be selected.
      navigator.clipboard !== undefined && {
        id: 'copy',
        label: t('message.copy'),
        icon: 'copy',
        run: () => void navigator.clipboard.writeText(text).then(() => toast({ text: t('action.copied') })),
      },
  ];
  return items.filter((item) => item !== false);
}
