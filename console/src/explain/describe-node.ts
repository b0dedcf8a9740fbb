import { useText } from '../i18n/i18n.tsx';
import type { IconName } from '../ui/icon.tsx';
import { type DescribedStatus, describeStatus } from './describe-status.ts';
import { EVENT_ICONS } from './event-icons.ts';
import { isEventType } from './event-types.ts';
import type { TraceNode } from './tree.ts';

/** A status as a word with a colour. */
export function useDescribeStatus(): (status: string) => DescribedStatus {
  const t = useText();
  return (status) => describeStatus(status, t);
}

interface DescribedNode {
  icon: IconName;
  title: string;
}

/** What a node of a trace is, in words. */
export function useDescribeNode(): (node: TraceNode) => DescribedNode {
  const t = useText();
  return ({ type, summary, sender, hasContinued, causedBy }) => {
    switch (type) {
      case 'message':
        return sender === 'inbound'
          ? { icon: 'reply', title: t('trace.inbound') }
          : { icon: 'send', title: t('trace.outbound') };
      case 'run':
        return {
          icon: 'automation',
          title: t(hasContinued ? 'trace.runContinued' : 'trace.run', { name: summary }),
        };
      case 'delivery':
        return {
          icon: 'webhook',
          title: summary === '' ? t('trace.deliveryGone') : t('trace.delivery', { url: summary }),
        };
      case 'vendor_request':
        // One to the vendor follows from a message.
        return {
          icon: 'channel',
          title: t(causedBy === null ? 'trace.request' : 'trace.requestTo', { provider: summary }),
        };
      case 'event':
        return isEventType(summary)
          ? { icon: EVENT_ICONS[summary], title: t(`eventType.${summary}`) }
          : { icon: 'event', title: summary };
    }
  };
}
