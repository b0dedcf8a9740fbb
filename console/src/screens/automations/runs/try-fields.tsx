import type { Contact } from '@parley/sdk';
import type { FlowDefinition, Variable } from '../../../flow/definition.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { ContactField } from './contact-field.tsx';
import styles from './runs.module.css';
import { startsWithMessage, type TryForm } from './try-body.ts';

const MAX_REPLIES = 50;

interface TryFieldsProps {
  definition: FlowDefinition;
  isChanged: boolean;
  contact: Contact | undefined;
  form: TryForm;
  /** What the server said about a parameter, such as `message.text`. */
  issueAt: (parameter: string) => string | undefined;
  isBusy: boolean;
  hasResult: boolean;
  onContact: (contact: Contact | undefined) => void;
  onChange: (form: TryForm) => void;
  onSubmit: () => void;
}

/** For whom an automation is tried, and with what. */
export function TryFields(props: TryFieldsProps) {
  const { definition, isChanged, contact, form, issueAt, isBusy, hasResult, onContact, onChange, onSubmit } =
    props;
  const t = useText();
  const canReply = definition.steps.some(({ type }) => type === 'wait_for_reply');
  const setReply = (index: number, text: string): void =>
    onChange({ ...form, replies: form.replies.with(index, text) });
  return (
    <form
      className={styles.form}
      aria-label={t('try.title')}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <p className={styles.safe}>
        <Icon name="info" />
        <span>
          {t('try.safe')} {isChanged && t('try.unsaved')}
        </span>
      </p>
      <ContactField contact={contact} error={issueAt('contactId')} onChange={onContact} />
      {startsWithMessage(definition) && (
        <TextArea
          label={t('try.message')}
          help={t('try.messageHelp')}
          rows={2}
          value={form.message}
          error={issueAt('message.text') ?? issueAt('message')}
          onChange={(event) => onChange({ ...form, message: event.target.value })}
          maxLength={65_536}
        />
      )}
      {definition.variables.map((variable) => (
        <VariableField
          key={variable.name}
          variable={variable}
          value={form.variables[variable.name] ?? ''}
          error={issueAt(`variables.${variable.name}`)}
          onChange={(text) => onChange({ ...form, variables: { ...form.variables, [variable.name]: text } })}
        />
      ))}
      {form.replies.map((reply, index) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: replies have an order and nothing else
          key={index}
          label={t('try.reply', { number: index + 1 })}
          help={index === 0 ? t('try.replyHelp') : undefined}
          value={reply}
          error={issueAt(`replies.${index}.text`) ?? issueAt(`replies.${index}`)}
          onChange={(event) => setReply(index, event.target.value)}
          maxLength={65_536}
        />
      ))}
      {canReply && form.replies.length < MAX_REPLIES && (
        <Button
          look="quiet"
          icon="plus"
          onClick={() => onChange({ ...form, replies: [...form.replies, ''] })}
        >
          {t('try.addReply')}
        </Button>
      )}
      <TextField
        label={t('try.at')}
        help={t('try.atHelp')}
        type="datetime-local"
        value={form.at}
        error={issueAt('at')}
        onChange={(event) => onChange({ ...form, at: event.target.value })}
      />
      <Button type="submit" look="primary" icon="play" isBusy={isBusy} disabled={contact === undefined}>
        {t(hasResult ? 'try.again' : 'try.run')}
      </Button>
    </form>
  );
}

interface VariableFieldProps {
  variable: Variable;
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

function VariableField({ variable, value, error, onChange }: VariableFieldProps) {
  const t = useText();
  const { name, type, required = false } = variable;
  const label = required ? `${name} (${t('try.variableRequired')})` : name;
  const standard = variable.default === undefined ? '' : String(variable.default);
  if (type === 'boolean')
    return (
      <SelectField
        label={label}
        value={value}
        error={error}
        options={[
          { value: '', label: standard === '' ? t('try.notSet') : standard },
          { value: 'true', label: t('try.yes') },
          { value: 'false', label: t('try.no') },
        ]}
        onChange={onChange}
      />
    );
  return (
    <TextField
      label={label}
      value={value}
      error={error}
      placeholder={standard}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      onChange={(event) => onChange(event.target.value)}
      maxLength={1000}
    />
  );
}
