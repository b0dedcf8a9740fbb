import { fillVariables } from '../../api/content.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import type { Content, TemplateButton } from './draft.ts';
import styles from './templates.module.css';

type Values = Readonly<Record<string, string>>;

const BUTTON_ICONS: Readonly<Record<TemplateButton['type'], IconName>> = {
  quick_reply: 'reply',
  url: 'window',
  phone_number: 'phone',
  copy_code: 'copy',
  otp: 'copy',
  flow: 'automation',
  catalog: 'template',
};

/** A template as the customer sees it. Files of other servers are named, not loaded. */
export function TemplatePreview({ content, values }: { content: Content; values: Values }) {
  const t = useText();
  const { header, body, footer, buttons, cards, offer } = content;
  return (
    <div className={styles.phone}>
      <div className={styles.bubble}>
        {header?.text && (
          <p className={styles.headline} dir="auto">
            {fillVariables(header.text, values)}
          </p>
        )}
        {header && header.type !== 'text' && (
          <div className={styles.media}>
            <Icon
              name={header.type === 'document' ? 'note' : header.type === 'location' ? 'tenant' : 'eye'}
            />
            <span>{t(`templates.header.${header.type}`)}</span>
            {header.url && <span className={styles.address}>{fillVariables(header.url, values)}</span>}
          </div>
        )}
        {offer && <p className={styles.headline}>{offer.text}</p>}
        <p className={styles.body} dir="auto">
          {fillVariables(body, values)}
        </p>
        {footer !== null && (
          <p className={styles.footer} dir="auto">
            {footer}
          </p>
        )}
      </div>
      <Buttons buttons={buttons} values={values} />
      {cards && (
        <ul className={styles.cards}>
          {cards.map((card, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cards have nothing else
            <li key={index} className={styles.bubble}>
              <div className={styles.media}>
                <Icon name="eye" />
                <span>{t(`templates.header.${card.header.type}`)}</span>
              </div>
              {card.body !== null && (
                <p className={styles.body} dir="auto">
                  {fillVariables(card.body, values)}
                </p>
              )}
              <Buttons buttons={card.buttons} values={values} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Buttons({ buttons, values }: { buttons: readonly TemplateButton[]; values: Values }) {
  const t = useText();
  return (
    buttons.length > 0 && (
      <ul className={styles.buttons}>
        {buttons.map(({ type, text, url, phoneNumber }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: two buttons may be equal
            key={index}
            className={styles.button}
            title={phoneNumber ?? (url === null ? undefined : fillVariables(url, values))}
          >
            <Icon name={BUTTON_ICONS[type]} />
            <span>{text || t(`templates.button.${type}`)}</span>
          </li>
        ))}
      </ul>
    )
  );
}
