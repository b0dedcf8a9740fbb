import type { Message } from '@parley/sdk';
import { useState } from 'react';
import { textIn } from '../api/content.ts';
import { useText } from '../i18n/i18n.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './bubble.module.css';
import { type ChoiceGroup, choicesOf, listOf, templateChoices } from './choices.ts';
import { useTemplate } from './data.ts';
import type { Content } from './written.ts';

interface ChoicesProps {
  message: Message;
  onTap: (content: Content) => void;
}

/** What can be tapped below a message. */
export function Choices({ message, onTap }: ChoicesProps) {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const templateId = message.type === 'template' ? textIn(message.content, 'templateId') : undefined;
  const template = useTemplate(templateId).data;
  const list = listOf(message);
  const groups = template ? templateChoices(message, template) : choicesOf(message, t('phone.sendPlace'));
  return (
    <>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message keeps the order of its choices
        <Group key={index} group={group} onTap={onTap} />
      ))}
      {list && (
        <button
          type="button"
          className={styles.choice}
          aria-expanded={isOpen}
          onClick={() => setIsOpen((open) => !open)}
        >
          <Icon name="menu" /> {list.button}
        </button>
      )}
      {list &&
        isOpen &&
        list.groups.map((group, index) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a message keeps the order of its sections
            key={index}
            group={group}
            isList
            onTap={(content) => {
              setIsOpen(false);
              onTap(content);
            }}
          />
        ))}
    </>
  );
}

interface GroupProps {
  group: ChoiceGroup;
  onTap: (content: Content) => void;
  isList?: boolean;
}

function Group({ group: { title, choices }, onTap, isList = false }: GroupProps) {
  const t = useText();
  return (
    <fieldset
      className={classes(styles.choices, isList && styles.list)}
      aria-label={title || t('message.choices')}
    >
      {title && (
        <p className={styles.muted} dir="auto">
          {title}
        </p>
      )}
      {choices.map(({ title: label, detail, answer, url }, index) =>
        url ? (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: two choices may have the same title
            key={index}
            className={styles.choice}
            href={url}
            target="_blank"
            rel="noopener noreferrer nofollow"
            dir="auto"
          >
            {label}
          </a>
        ) : (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: two choices may have the same title
            key={index}
            type="button"
            className={styles.choice}
            disabled={!answer}
            {...(answer ? {} : { title: t('phone.notHere') })}
            onClick={() => answer && onTap(answer)}
            dir="auto"
          >
            <span>{label}</span>
            {detail && <span className={styles.muted}>{detail}</span>}
          </button>
        ),
      )}
    </fieldset>
  );
}
