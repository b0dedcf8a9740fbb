import type { PlainKey } from '../i18n/catalogue.ts';
import { useText } from '../i18n/i18n.tsx';
import type { IconName } from '../ui/icon.tsx';
import { EVENT_ICONS } from './event-icons.ts';
import { isEventType } from './event-types.ts';
import type { TraceNode } from './tree.ts';

type Look = 'plain' | 'good' | 'warn' | 'bad';

/** Every status of a message, a run and a delivery. */
const LOOKS = {
  queued: 'plain',
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  scheduled: 'plain',
  running: 'warn',
  waiting: 'warn',
  completed: 'good',
  cancelled: 'plain',
  pending: 'warn',
} as const satisfies Record<string, Look>;
const isStatus = (status: string): status is keyof typeof LOOKS => Object.hasOwn(LOOKS, status);

interface DescribedStatus {
  text: string;
  look: Look;
}

/** A status as a word with a colour. */
export function useDescribeStatus(): (status: string) => DescribedStatus {
  const t = useText();
  return (status) =>
    isStatus(status)
      ? { text: t(`trace.status.${status}` satisfies PlainKey), look: LOOKS[status] }
      : { text: status, look: 'plain' };
}

interface DescribedNode {
  icon: IconName;
  title: string;
}

/** What a node of a trace is, in words. */
export function useDescribeNode(): (node: TraceNode) => DescribedNode {
  const t = useText();
  return ({ type, name }) => {
    switch (type) {
      case 'message':
        return name === 'inbound'
          ? { icon: 'reply', title: t('trace.inbound') }
          : { icon: 'send', title: t('trace.outbound') };
      case 'run':
        return { icon: 'automation', title: t('trace.run', { name }) };
      case 'delivery':
        return {
          icon: 'webhook',
          title: name === '' ? t('trace.deliveryGone') : t('trace.delivery', { url: name }),
        };
      case 'event':
        return isEventType(name)
          ? { icon: EVENT_ICONS[name], title: t(`eventType.${name}`) }
          : { icon: 'event', title: name };
    }
  };
}
