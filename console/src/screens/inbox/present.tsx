import { useTranslator } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { usePresent } from './presence.ts';
import styles from './present.module.css';

const MAX_PICTURES = 3;

/** Joins names as the language does: "Ada, Grace and Joan". */
function useNames(): (users: readonly { name: string }[]) => string {
  const { language } = useTranslator();
  return (users) => new Intl.ListFormat(language).format(users.map(({ name }) => name));
}

/** The colleagues who look at the chat as well. */
export function PresentUsers({ chatId }: { chatId: string }) {
  const { t } = useTranslator();
  const present = usePresent(chatId);
  const join = useNames();
  const text = present.length === 0 ? '' : t('presence.viewing', { names: join(present) });
  return (
    <span className={styles.present} role="status" title={text === '' ? undefined : text}>
      {present.length > 0 && (
        <>
          <Icon name="eye" />
          {present.slice(0, MAX_PICTURES).map(({ id, name }) => (
            <Avatar key={id} name={name} id={id} size="small" />
          ))}
          {present.length > MAX_PICTURES && <span aria-hidden="true">+{present.length - MAX_PICTURES}</span>}
          <span className="visually-hidden">{text}</span>
        </>
      )}
    </span>
  );
}

/** Who is writing an answer at this moment. */
export function TypingLine({ chatId }: { chatId: string }) {
  const { t } = useTranslator();
  const typing = usePresent(chatId).filter(({ state }) => state === 'typing');
  const join = useNames();
  return (
    <span className={styles.typing} role="status">
      {typing.length > 0 && (
        <>
          <Icon name="edit" />
          <span className={styles.names}>{t('presence.typing', { names: join(typing) })}</span>
        </>
      )}
    </span>
  );
}
