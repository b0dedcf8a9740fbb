import type { MessageTemplate } from '@parley/sdk';
import { Fragment, type ReactNode } from 'react';
import { fillVariables } from '../../../api/content.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { Variable } from './liquid-field.tsx';
import styles from './wizard.module.css';

interface BubbleProps {
  title?: ReactNode;
  file?: string | undefined;
  text: ReactNode;
  footer?: string | null | undefined;
  buttons?: readonly string[];
}

/** A message as the person sees it. */
export function Bubble({ title, file, text, footer, buttons = [] }: BubbleProps) {
  return (
    <div className={styles.bubble}>
      {file !== undefined && (
        <p className={styles.bubbleFile} dir="auto">
          <Icon name="attach" /> {file}
        </p>
      )}
      {title && (
        <p className={styles.bubbleTitle} dir="auto">
          {title}
        </p>
      )}
      <p className={styles.bubbleText} dir="auto">
        {text}
      </p>
      {footer && (
        <p className={styles.help} dir="auto">
          {footer}
        </p>
      )}
      {buttons.length > 0 && (
        <ul className={styles.bubbleButtons}>
          {buttons.map((button, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message keeps the order of its buttons
            <li key={index}>{button}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

const OUTPUT = /\{\{-?\s*([^}]*?)\s*-?\}\}/g;

/** A text with marks where everybody has their own. What it becomes is shown before it is sent. */
export function Marked({ text, variables }: { text: string; variables: readonly Variable[] }) {
  const parts = text.split(OUTPUT);
  return parts.map((part, index) => {
    const path = part.split('|', 1)[0]?.trim();
    const isOutput = index % 2 === 1;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
      <Fragment key={index}>
        {isOutput ? <mark>{variables.find((one) => one.path === path)?.label ?? part}</mark> : part}
      </Fragment>
    );
  });
}

interface TemplateBubbleProps {
  template: MessageTemplate;
  values: Readonly<Record<string, string>>;
  variables: readonly Variable[];
  file?: string | undefined;
}

/** A template with its variables filled in. */
export function TemplateBubble({ template, values, variables, file }: TemplateBubbleProps) {
  const t = useText();
  const fill = (text: string): string => fillVariables(text, values);
  const { header, body, footer, buttons } = template;
  const hasFile = header !== null && header.type !== 'text';
  return (
    <Bubble
      title={header?.type === 'text' && header.text !== null && fill(header.text)}
      file={hasFile ? (file ?? header.url ?? t('campaigns.header.none')) : undefined}
      text={<Marked text={fill(body)} variables={variables} />}
      footer={footer}
      buttons={buttons.map(({ text }) => text)}
    />
  );
}
