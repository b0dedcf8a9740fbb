import type { Chat, MessageTemplate } from '@parley/sdk';
import { useState } from 'react';
import { fillVariables } from '../../api/content.ts';
import { useApprovedTemplates } from '../../api/templates.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/notices.tsx';
import styles from './composer.module.css';
import { sendOptimistically } from './outgoing.ts';
import { Picker } from './picker.tsx';

/** Templates that need nothing but texts: no file of their own, no cards, no code. */
const isPlain = ({ header, cards, offer, buttons, authentication }: MessageTemplate): boolean =>
  (header === null || header.type === 'text' || (header.url !== null && header.type !== 'location')) &&
  cards === null &&
  offer === null &&
  authentication === null &&
  buttons.every(({ type }) => type === 'quick_reply' || type === 'url' || type === 'phone_number');

/** The names that templates often use for the person's own. */
const isName = (variable: string): boolean => /^(first_?)?name$/i.test(variable);

/** After the reply window has closed, only what the vendor has approved may be sent. */
export function TemplateForm({ chat }: { chat: Chat }) {
  const t = useText();
  const templates = useApprovedTemplates(chat.channelId);
  const [isPicking, setIsPicking] = useState(false);
  const [chosen, setChosen] = useState<MessageTemplate>();
  return (
    <div className={styles.template}>
      <p className={styles.closed}>
        <Icon name="clock" />
        <span>{t(chat.openUntil === null ? 'composer.neverWritten' : 'composer.windowClosed')}</span>
      </p>
      <Loaded query={templates} lines={1}>
        {(all) => {
          const usable = all.filter(isPlain);
          return (
            <>
              {chosen ? (
                <Variables
                  key={chosen.id}
                  chat={chat}
                  template={chosen}
                  onOther={() => setIsPicking(true)}
                  onDone={() => setChosen(undefined)}
                />
              ) : (
                <Button icon="template" onClick={() => setIsPicking(true)}>
                  {t('composer.chooseTemplate')}
                </Button>
              )}
              {isPicking && (
                <Picker
                  title={t('composer.chooseTemplate')}
                  placeholder={t('composer.templatePlaceholder')}
                  choices={usable.map(({ id, name, language, body }) => ({
                    id,
                    label: `${name} (${language})`,
                    detail: body,
                  }))}
                  empty={t('composer.noTemplates')}
                  onPick={(id) => {
                    setIsPicking(false);
                    setChosen(usable.find((template) => template.id === id));
                  }}
                  onClose={() => setIsPicking(false)}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface VariablesProps {
  chat: Chat;
  template: MessageTemplate;
  onOther: () => void;
  onDone: () => void;
}

/** The values of a template's variables, and how it will look. */
function Variables({ chat, template, onOther, onDone }: VariablesProps) {
  const t = useText();
  const { contact } = chat;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      template.variables.map((name) => [name, isName(name) ? (contact.firstName ?? contact.fullName) : '']),
    ),
  );
  const isComplete = template.variables.every((name) => values[name]?.trim());
  const preview = fillVariables(template.body, values);
  return (
    <form
      className={styles.variables}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isComplete) return;
        onDone();
        const body = { template: { templateId: template.id, variables: values } };
        void sendOptimistically(chat.id, body, [], preview);
      }}
    >
      <p className={styles.preview} dir="auto">
        {preview}
      </p>
      <div className={styles.values}>
        {template.variables.map((name) => (
          <TextField
            key={name}
            label={name}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            required
          />
        ))}
      </div>
      <div className={styles.bar}>
        <Button icon="template" look="quiet" onClick={onOther}>
          {t('composer.otherTemplate')}
        </Button>
        <span className={styles.spacer} />
        <Button type="submit" look="primary" icon="send" disabled={!isComplete}>
          {t('composer.send')}
        </Button>
      </div>
    </form>
  );
}
