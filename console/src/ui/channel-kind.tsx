import { useText } from '../i18n/i18n.tsx';
import styles from './channel-kind.module.css';
import { Icon } from './icon.tsx';

const KINDS = ['whatsapp', 'sms', 'email', 'instagram'] as const;
type Kind = (typeof KINDS)[number];
const isKind = (kind: string): kind is Kind => KINDS.some((known) => known === kind);

/** The kind of a channel: an icon and a word. */
export function ChannelKindLabel({ kind }: { kind: string }) {
  const t = useText();
  return (
    <span className={styles.label}>
      <Icon name={isKind(kind) ? kind : 'channel'} />
      {isKind(kind) ? t(`kind.${kind}`) : kind}
    </span>
  );
}
