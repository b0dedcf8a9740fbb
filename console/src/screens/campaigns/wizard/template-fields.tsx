import type { MessageTemplate } from '@parley/sdk';
import { issueWithin } from '../../../api/errors.ts';
import { useApprovedTemplates } from '../../../api/templates.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Loaded, Warning } from '../../../ui/notices.tsx';
import { FileField } from './file-field.tsx';
import { issueAt } from './issues.ts';
import { LiquidField, type Variable } from './liquid-field.tsx';
import type { Message } from './message.ts';
import styles from './wizard.module.css';

const MAX_VALUE = 10_000;
const ACCEPTED: Readonly<Record<string, string | undefined>> = { image: 'image/*', video: 'video/*' };

/** Those that need nothing that only an automation can give: no cards, no offer, no code. */
const isUsable = ({ cards, offer, authentication, header, buttons }: MessageTemplate): boolean =>
  cards === null &&
  offer === null &&
  authentication === null &&
  header?.type !== 'location' &&
  buttons.every(({ type }) => ['quick_reply', 'url', 'phone_number'].includes(type));

/** The names that templates often use for the person's own. */
const guessOf = (variable: string): string =>
  /^(first_?)?name$/i.test(variable) ? '{{ contact.firstName }}' : '';

interface TemplateFieldsProps {
  channelId: string;
  message: Message;
  variables: readonly Variable[];
  onChange: (message: Message) => void;
  error: unknown;
}

/** Which template, what its variables say, and the file in its header. */
export function TemplateFields(props: TemplateFieldsProps) {
  const t = useText();
  const templates = useApprovedTemplates(props.channelId);
  return (
    <Loaded query={templates} lines={1}>
      {(all) => {
        const usable = all.filter(isUsable);
        return usable.length === 0 ? (
          <Warning>{t('campaigns.noTemplates')}</Warning>
        ) : (
          <ChosenTemplate {...props} templates={usable} />
        );
      }}
    </Loaded>
  );
}

function ChosenTemplate({
  message,
  variables,
  onChange,
  error,
  templates,
}: TemplateFieldsProps & { templates: readonly MessageTemplate[] }) {
  const t = useText();
  const given = message.template;
  const template = templates.find(({ id }) => id === given?.templateId);
  const isGone = given !== undefined && template === undefined;
  const choose = (id: string): void => {
    const next = templates.find((one) => one.id === id);
    if (!next) return;
    const values = Object.fromEntries(
      next.variables.map((name) => [name, given?.variables?.[name] || guessOf(name)]),
    );
    onChange({ template: { templateId: next.id, variables: values } });
  };
  const values = given?.variables ?? {};
  const header = template?.header;
  const fileType = header == null || header.type === 'text' ? undefined : header.type;
  return (
    <div className={styles.column}>
      <SelectField
        label={t('campaigns.template')}
        value={template?.id ?? ''}
        options={[
          ...(template ? [] : [{ value: '', label: t('campaigns.chooseTemplate') }]),
          ...templates.map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` })),
        ]}
        onChange={choose}
        error={
          isGone
            ? t('campaigns.templateGone')
            : (issueAt(error, 'message.template.templateId') ?? issueAt(error, 'message.template'))
        }
      />
      {given &&
        template?.variables.map((name) => (
          <LiquidField
            key={name}
            label={t('campaigns.templateVariable', { name })}
            value={values[name] ?? ''}
            variables={variables}
            maxLength={MAX_VALUE}
            error={issueAt(error, `message.template.variables.${name}`)}
            onChange={(value) =>
              onChange({ template: { ...given, variables: { ...values, [name]: value } } })
            }
          />
        ))}
      {given && fileType !== undefined && fileType !== 'location' && (
        <FileField
          label={t(`campaigns.header.${fileType}`)}
          accept={ACCEPTED[fileType]}
          file={given.header}
          onChange={(file) => {
            const { header: _, ...rest } = given;
            onChange({ template: file ? { ...rest, header: file } : rest });
          }}
          error={issueWithin(error, 'message.template.header')}
        />
      )}
    </div>
  );
}
