import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { traceAddress } from './links.ts';
import { WhyDialog } from './why-dialog.tsx';

interface MessageMenuProps {
  messageId: string;
  isInbound: boolean;
  /** What can be done with it besides, above the rest. */
  more?: readonly MenuItem[];
  className?: string | undefined;
}

/** What can be done with a message and asked about it. */
export function MessageMenu({ messageId, isInbound, more = [], className }: MessageMenuProps) {
  const t = useText();
  const navigate = useNavigate();
  const canExplain = useScope('automations:read');
  const [isAsking, setIsAsking] = useState(false);
  const items = [
    ...more,
    ...(isInbound && canExplain
      ? [{ id: 'why', label: t('why.short'), icon: 'question' as const, run: () => setIsAsking(true) }]
      : []),
    ...(canExplain
      ? [
          {
            id: 'trace',
            label: t('trace.show'),
            icon: 'trace' as const,
            run: () => void navigate({ to: traceAddress(messageId).to }),
          },
        ]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu label={t('explain.messageActions')} className={className} items={items}>
        <Icon name="more" />
      </Menu>
      {isAsking && <WhyDialog about={{ messageId }} onClose={() => setIsAsking(false)} />}
    </>
  );
}
