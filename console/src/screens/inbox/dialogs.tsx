import type { Chat } from '@parley/sdk';
import { WhyDialog } from '../../explain/why-dialog.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useChatActions } from './actions.ts';
import { AssignPicker } from './assign-picker.tsx';
import { useLabels } from './data.ts';
import { LabelDot } from './label-dot.tsx';
import { Picker } from './picker.tsx';
import { TimePicker } from './time-picker.tsx';

interface ChatDialogProps {
  chat: Chat;
  onClose: () => void;
}

export function AssignDialog({ chat, onClose }: ChatDialogProps) {
  const { assign } = useChatActions();
  return (
    <AssignPicker
      chosen={chat}
      onPick={(assignment, name) => {
        onClose();
        void assign(chat, assignment, name);
      }}
      onClose={onClose}
    />
  );
}

export function SnoozeDialog({ chat, onClose }: ChatDialogProps) {
  const { snooze } = useChatActions();
  return (
    <TimePicker
      purpose="snooze"
      onPick={(until) => {
        onClose();
        void snooze(chat, until);
      }}
      onClose={onClose}
    />
  );
}

/** Why automations did or did not start for the latest messages and events. */
export const WhyOfChat = ({ chat, onClose }: ChatDialogProps) => (
  <WhyDialog about={{ contactId: chat.contactId, chatId: chat.id }} onClose={onClose} />
);

/** Adds labels to the contact and removes them. It stays open: there may be several. */
export function LabelDialog({ chat, onClose }: ChatDialogProps) {
  const { t, compare } = useTranslator();
  const { data: labels = [], isPending } = useLabels();
  const { setLabel } = useChatActions();
  const own = new Set(chat.contact.labels.map(({ id }) => id));
  return (
    <Picker
      title={t('inbox.labelsOf', { name: chat.contact.displayName })}
      placeholder={t('inbox.labelPlaceholder')}
      choices={[...labels]
        .sort((a, b) => compare(a.name, b.name))
        .map(({ id, name, color }) => ({
          id,
          label: name,
          picture: <LabelDot color={color} />,
          isChosen: own.has(id),
        }))}
      empty={t('inbox.noLabels')}
      isWaiting={isPending}
      onPick={(id) => {
        const label = labels.find((one) => one.id === id);
        if (label) void setLabel(chat, label, !own.has(id));
      }}
      onClose={onClose}
    />
  );
}
