import { issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { BUTTON_TYPES, type DraftButton, newButton } from './draft.ts';
import styles from './templates.module.css';

interface ButtonFieldsProps {
  buttons: readonly DraftButton[];
  /** What the last attempt to save answered. */
  error: unknown;
  onChange: (buttons: readonly DraftButton[]) => void;
}

/** What a customer can tap on. */
export function ButtonFields({ buttons, error, onChange }: ButtonFieldsProps) {
  const t = useText();
  return (
    <fieldset className={styles.group}>
      <legend>{t('templates.buttons')}</legend>
      {buttons.map((button, index) => (
        <OneButton
          key={button.key}
          button={button}
          number={index + 1}
          errorOf={(name) => issueOf(error, `buttons.${index}.${name}`)}
          onChange={(changed) => onChange(buttons.map((one) => (one.key === button.key ? changed : one)))}
          onRemove={() => onChange(buttons.filter(({ key }) => key !== button.key))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...buttons, newButton(buttons)])}>
          {t('templates.addButton')}
        </Button>
      </div>
    </fieldset>
  );
}

interface OneButtonProps {
  button: DraftButton;
  number: number;
  errorOf: (name: string) => string | undefined;
  onChange: (button: DraftButton) => void;
  onRemove: () => void;
}

function OneButton({ button, number, errorOf, onChange, onRemove }: OneButtonProps) {
  const t = useText();
  const { type, text, url, phoneNumber, code } = button;
  // A type that cannot be written here stays, and can be removed.
  const types = BUTTON_TYPES.some((known) => known === type) ? BUTTON_TYPES : [type];
  return (
    <div className={styles.oneButton}>
      <SelectField
        label={t('templates.button', { number })}
        value={type}
        options={types.map((value) => ({ value, label: t(`templates.button.${value}`) }))}
        error={errorOf('type')}
        onChange={(next) => onChange({ ...button, type: next })}
      />
      <TextField
        label={t('templates.buttonText', { number })}
        value={text}
        onChange={(event) => onChange({ ...button, text: event.target.value })}
        error={errorOf('text')}
        maxLength={200}
      />
      <IconButton icon="trash" label={t('templates.removeButton', { number })} onClick={onRemove} />
      {type === 'url' && (
        <TextField
          label={t('templates.buttonUrl', { number })}
          value={url ?? ''}
          onChange={(event) => onChange({ ...button, url: event.target.value })}
          error={errorOf('url')}
          maxLength={2000}
          placeholder="https://example.com/{{1}}"
        />
      )}
      {type === 'phone_number' && (
        <TextField
          label={t('templates.buttonPhone', { number })}
          value={phoneNumber ?? ''}
          onChange={(event) => onChange({ ...button, phoneNumber: event.target.value })}
          error={errorOf('phoneNumber')}
          maxLength={21}
          inputMode="tel"
          placeholder="+15550001111"
        />
      )}
      {type === 'copy_code' && (
        <TextField
          label={t('templates.buttonCode', { number })}
          value={code ?? ''}
          onChange={(event) => onChange({ ...button, code: event.target.value })}
          error={errorOf('code')}
          maxLength={20}
        />
      )}
    </div>
  );
}
