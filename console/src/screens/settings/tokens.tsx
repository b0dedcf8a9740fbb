import {
  type CreatedToken,
  type CreateTokenBody,
  createToken,
  deleteToken,
  searchTokens,
  type Token,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { type Scope, useScope, useWorkspace } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LostAnswer } from '../../ui/lost-answer.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useActions } from './actions.tsx';
import { useFilter } from './filter.tsx';
import styles from './settings.module.css';

const KEY = ['tokens'];
const DAY_SECONDS = 86_400;
const DAYS = ['7', '30', '90', '365'] as const;
/** A missing one does not compile. */
const SCOPES = Object.keys({
  'chats:read': true,
  'chats:write': true,
  'chats:delete': true,
  'contacts:read': true,
  'contacts:write': true,
  'contacts:delete': true,
  'messages:read': true,
  'messages:write': true,
  'channels:read': true,
  'channels:write': true,
  'attributes:read': true,
  'attributes:write': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'automations:read': true,
  'automations:write': true,
  'automations:trigger': true,
  'campaigns:read': true,
  'campaigns:write': true,
  'templates:read': true,
  'templates:write': true,
  'files:read': true,
  'files:write': true,
  'events:read': true,
  'users:read': true,
  'users:write': true,
  'tokens:read': true,
  'tokens:write': true,
  'audit:read': true,
  'reports:read': true,
  'tenant:read': true,
  'tenant:write': true,
} satisfies Record<Exclude<Scope, '*'>, true>) as readonly Scope[];

/** How programs call the API. */
export function Tokens() {
  const t = useText();
  const canWrite = useScope('tokens:write');
  const tokens = useAll(KEY, searchTokens);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<CreatedToken>();
  const [removed, setRemoved] = useState<Token>();
  const add = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
      {t('tokens.new')}
    </Button>
  );
  return (
    <Page title={t('tokens.title')} actions={add}>
      <Loaded query={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="key" title={t('tokens.empty')} action={add}>
              {t('tokens.intro')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('tokens.intro')}</p>
              <TokensTable tokens={rows} onRemove={setRemoved} />
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <TokenDialog
          onClose={() => setIsCreating(false)}
          onDone={(token) => {
            setIsCreating(false);
            setCreated(token);
          }}
        />
      )}
      {created && (
        <Dialog
          title={created.name}
          isShownOnce
          onClose={() => setCreated(undefined)}
          actions={<Button onClick={() => setCreated(undefined)}>{t('tokens.done')}</Button>}
        >
          <p>{t('tokens.once')}</p>
          <CopyText text={created.token} />
        </Dialog>
      )}
      {removed && <RevokeDialog token={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

const SHOWN_SCOPES = 3;

function TokensTable({ tokens, onRemove }: { tokens: readonly Token[]; onRemove: (token: Token) => void }) {
  const { t, formatDate } = useTranslator();
  const { found, field } = useFilter(tokens, ({ name }) => name);
  const actions = useActions<Token>(useScope('tokens:write'), { nameOf: ({ name }) => name, onRemove });
  const scopesOf = ({ scopes }: Token) => (
    <span className={styles.tags} title={scopes.join('\n')}>
      {scopes.slice(0, SHOWN_SCOPES).map((scope) => (
        <Badge key={scope}>{scope === '*' ? t('tokens.everything') : scope}</Badge>
      ))}
      {scopes.length > SHOWN_SCOPES && (
        <Badge>{t('tokens.moreScopes', { count: scopes.length - SHOWN_SCOPES })}</Badge>
      )}
    </span>
  );
  return (
    <>
      {field}
      <Table<Token>
        label={t('tokens.title')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('tokens.name'),
            cell: ({ name }) => <span className={styles.name}>{name}</span>,
          },
          { id: 'scopes', title: t('tokens.scopes'), isExtra: true, cell: scopesOf },
          {
            id: 'used',
            title: t('tokens.used'),
            cell: ({ lastUsedAt }) =>
              lastUsedAt === null ? t('tokens.never') : <RelativeTime at={lastUsedAt} />,
          },
          {
            id: 'expires',
            title: t('tokens.expires'),
            isExtra: true,
            cell: ({ expiresAt }) => formatDate(new Date(expiresAt)),
          },
          ...actions,
        ]}
      />
    </>
  );
}

function TokenDialog({ onClose, onDone }: { onClose: () => void; onDone: (token: CreatedToken) => void }) {
  const t = useText();
  const { membership } = useWorkspace();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>(['chats:read', 'contacts:read', 'messages:write']);
  const [days, setDays] = useState<(typeof DAYS)[number]>('90');
  /** Nobody gives more than they have. */
  const scopes = membership.scopes.includes('*')
    ? SCOPES
    : SCOPES.filter((one) => membership.scopes.includes(one));
  const create = useWrite(
    () =>
      createToken(client, {
        body: {
          name: name.trim(),
          scopes: chosen as CreateTokenBody['scopes'],
          expiresIn: Number(days) * DAY_SECONDS,
        },
      }),
    { invalidates: [KEY], showsError: true, onSuccess: onDone },
  );
  return (
    <FormDialog
      title={t('tokens.new')}
      submit={t('tokens.create')}
      onSubmit={() => create.mutate()}
      onClose={onClose}
      isBusy={create.isPending}
      error={create.error}
      fields={['name', 'scopes', 'expiresIn']}
    >
      <TextField
        label={t('tokens.name')}
        help={t('tokens.nameHelp')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(create.error, 'name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
      <SelectField
        label={t('tokens.expires')}
        value={days}
        options={DAYS.map((value) => ({ value, label: t('tokens.days', { count: Number(value) }) }))}
        onChange={setDays}
        error={issueOf(create.error, 'expiresIn')}
      />
      <Choices
        label={t('tokens.scopes')}
        options={scopes.map((value) => ({ value, label: value }))}
        chosen={chosen}
        onChange={setChosen}
        error={issueOf(create.error, 'scopes')}
      />
      <LostAnswer error={create.error} text={t('tokens.lost')} />
    </FormDialog>
  );
}

function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const t = useText();
  const revoke = useWrite(() => deleteToken(client, { path: { tokenId: token.id } }), {
    invalidates: [KEY],
    done: 'tokens.revoked',
    showsError: true,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('tokens.revokeTitle', { name: token.name })}
      text={t('tokens.revokeText', { name: token.name })}
      action={t('action.revoke')}
      write={revoke}
      onClose={onClose}
    />
  );
}
