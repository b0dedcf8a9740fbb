import type { Message } from '@parley/sdk';
import { useState } from 'react';
import { listIn, textIn } from '../../api/content.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import { isMediaKind } from './describe-message.ts';
import { MediaItem } from './media.tsx';
import { Original } from './original.tsx';
import styles from './thread.module.css';

/** Web addresses in a text. The end of a sentence is no part of them. */
const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]])/g;

/** A text of a person: never HTML, with links to web addresses. */
export const PlainText = ({ text }: { text: string }) => (
  <p className={styles.text} dir="auto">
    {text.split(ADDRESS).map((part, index) =>
      index % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not change their order
        <a key={index} href={part} target="_blank" rel="noopener noreferrer nofollow">
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </p>
);

/** What a message says, by its type. */
export function MessageContent({ message }: { message: Message }) {
  const t = useText();
  const { type, text, content, media, deletedAt } = message;
  if (deletedAt) return <p className={styles.gone}>{t('message.deleted')}</p>;
  const subject = textIn(content, 'subject');
  return (
    <>
      {type === 'template' && <Kind text={t('message.type.template')} />}
      {type === 'story_reply' && <Kind text={t('message.type.storyReply')} />}
      {type === 'story_mention' && <Kind text={t('message.type.storyMention')} />}
      {type === 'comment' && <Kind text={t('message.type.comment')} />}
      {subject && (
        <p className={styles.subject} dir="auto">
          {subject}
        </p>
      )}
      {media.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message keeps the order of its files
        <MediaItem key={index} media={one} />
      ))}
      <HeaderText content={content} />
      {text ? <PlainText text={text} /> : media.length === 0 && <Special message={message} />}
      <Quoted content={content} />
      {textIn(content, 'html') && <Original message={message} />}
      <Choices content={content} />
    </>
  );
}

const Kind = ({ text }: { text: string }) => <p className={styles.kind}>{text}</p>;

function HeaderText({ content }: { content: Message['content'] }) {
  const header = textIn(content, 'header', 'text');
  return header ? (
    <p className={styles.subject} dir="auto">
      {header}
    </p>
  ) : null;
}

/** Earlier mails that this one quotes: hidden until somebody wants them. */
function Quoted({ content }: { content: Message['content'] }) {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const quoted = textIn(content, 'quotedText');
  if (!quoted) return null;
  return (
    <>
      <button
        type="button"
        className={styles.link}
        aria-expanded={isOpen}
        onClick={() => setIsOpen((open) => !open)}
      >
        {t(isOpen ? 'message.hideQuoted' : 'message.showWhole')}
      </button>
      {isOpen && (
        <blockquote className={styles.quoted}>
          <PlainText text={quoted} />
        </blockquote>
      )}
    </>
  );
}

const titleOf = (item: Record<string, unknown>): string =>
  textIn(item, 'title') ?? textIn(item, 'text') ?? '';

/** The buttons or rows that the contact could choose from. */
export function Choices({ content }: { content: unknown }) {
  const t = useText();
  const rows = listIn(content, 'list', 'sections').flatMap((section) => listIn(section, 'rows'));
  const link = textIn(content, 'link', 'title');
  const titles = [...listIn(content, 'buttons'), ...rows, ...listIn(content, 'cards')].map(titleOf);
  const shown = [...titles, ...(link ? [link] : [])].filter((title) => title !== '');
  const footer = textIn(content, 'footer');
  return (
    <>
      {footer && <p className={styles.meta}>{footer}</p>}
      {shown.length > 0 && (
        <ul className={styles.choices} aria-label={t('message.choices')}>
          {shown.map((title, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message keeps the order of its choices
            <li key={index} className={styles.choice} dir="auto">
              {title}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Messages without a text. */
function Special({ message: { type, content } }: { message: Message }) {
  const t = useText();
  if (type === 'reaction')
    return <p className={styles.text}>{t('message.reacted', { emoji: textIn(content, 'emoji') ?? '' })}</p>;
  if (type === 'location') {
    const place = [textIn(content, 'name'), textIn(content, 'address')].filter(Boolean).join(', ');
    const { latitude, longitude } = content;
    return (
      <p className={styles.text} dir="auto">
        <Icon name="info" /> {t('message.type.location')}: {place || `${latitude}, ${longitude}`}
      </p>
    );
  }
  if (type === 'contacts')
    return (
      <p className={styles.text} dir="auto">
        {t('message.type.contacts')}:{' '}
        {listIn(content, 'contacts')
          .map((one) => textIn(one, 'name') ?? textIn(one, 'name', 'formatted_name') ?? '')
          .filter(Boolean)
          .join(', ')}
      </p>
    );
  const title = textIn(content, 'title') ?? textIn(content, 'reply', 'title');
  if (title) return <PlainText text={title} />;
  if (textIn(content, 'subject') || listIn(content, 'buttons').length > 0) return null;
  return (
    <p className={styles.gone}>{t(isMediaKind(type) ? `message.type.${type}` : 'message.type.other')}</p>
  );
}
