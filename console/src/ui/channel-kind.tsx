import { isChannelKind } from '../api/channel-kinds.ts';
import { useText } from '../i18n/i18n.tsx';
import styles from './channel-kind.module.css';
import { Icon } from './icon.tsx';

/** The kind of a channel: an icon and a word. */
export function ChannelKindLabel({ kind }: { kind: string }) {
  const t = useText();
  return (
    <span className={styles.label}>
      <Icon name={isChannelKind(kind) ? kind : 'channel'} />
      {isChannelKind(kind) ? t(`kind.${kind}`) : kind}
    </span>
  );
}
