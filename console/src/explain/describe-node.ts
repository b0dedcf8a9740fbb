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
