import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { traceAddress } from './links.ts';
import { WhyDialog } from './why-dialog.tsx';

interface MessageMenuProps {
  messageId: string;
  isInbound: boolean;
  className?: string | undefined;
}

/** What can be asked about a message. Nothing for those who may know neither events nor automations. */
export function MessageMenu({ messageId, isInbound, className }: MessageMenuProps) {
  const t = useText();
  const navigate = useNavigate();
  const canExplain = useScope('automations:read');
  const canTrace = useScope('events:read');
  const [isAsking, setIsAsking] = useState(false);
  const items = [
    ...(isInbound && canExplain
      ? [{ id: 'why', label: t('why.short'), icon: 'question' as const, run: () => setIsAsking(true) }]
      : []),
    ...(canTrace
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
