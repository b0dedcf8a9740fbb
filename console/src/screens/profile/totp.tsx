import { confirmTotp, disableTotp, enrolTotp, type NewTotp } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, SESSION_KEY, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PasswordField, TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { LostAnswer } from '../../ui/lost-answer.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './profile.module.css';
import { QrCode } from './qr-code.tsx';
import { storeSession } from './store-session.ts';

export function TotpSection() {
  const t = useText();
  const { person } = useWorkspace().session;
  // Not by what the account has now: recovery codes stay until somebody has them.
  const [opened, setOpened] = useState<'enrol' | 'disable'>();
  const close = (): void => setOpened(undefined);
  return (
    <Section title={t('profile.totp')} text={t(person.hasTotp ? 'profile.totpOn' : 'profile.totpOff')}>
      <Button
        onClick={() => setOpened(person.hasTotp ? 'disable' : 'enrol')}
        look={person.hasTotp ? 'danger' : 'normal'}
      >
        {t(person.hasTotp ? 'profile.totpDisable' : 'profile.totpStart')}
      </Button>
      {opened === 'disable' && <DisableDialog onClose={close} />}
      {opened === 'enrol' && <EnrolDialog onClose={close} />}
    </Section>
  );
}

/** A wrong password or code is 401, like an ended session; here it is about the field. */
const isWrong = (error: unknown): boolean => statusOf(error) === 401;

/** Password, then secret and code, then recovery codes. */
function EnrolDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const [secret, setSecret] = useState<NewTotp>();
  const [codes, setCodes] = useState<readonly string[]>();
  const cache = useQueryClient();
  // The answer has what is shown only once.
  const close = (): void => {
    if (cache.isMutating() === 0) onClose();
  };
  return (
    <Dialog
      title={t(codes ? 'profile.totpRecovery' : 'profile.totp')}
      isShownOnce={codes !== undefined}
      onClose={close}
    >
      {codes ? (
        <Codes codes={codes} onDone={onClose} />
      ) : secret ? (
        <Confirm secret={secret} onDone={setCodes} />
      ) : (
        <AskPassword onDone={setSecret} />
      )}
    </Dialog>
  );
}

function AskPassword({ onDone }: { onDone: (secret: NewTotp) => void }) {
  const t = useText();
  const { person } = useWorkspace().session;
  const [password, setPassword] = useState('');
  const enrol = useWrite(() => enrolTotp(client, { body: person.hasPassword ? { password } : {} }), {
    onSuccess: onDone,
    showsError: true,
  });
  return (
    <Form onSubmit={() => enrol.mutate()}>
      {person.hasPassword && (
        <PasswordField
          label={t('login.password')}
          help={t('profile.totpPassword')}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isWrong(enrol.error) ? t('login.wrong') : undefined}
          autoFocus
          required
        />
      )}
      {enrol.error && !isWrong(enrol.error) ? <ErrorNotice error={enrol.error} /> : null}
      <Button type="submit" look="primary" isBusy={enrol.isPending}>
        {t('profile.totpContinue')}
      </Button>
    </Form>
  );
}

function Confirm({ secret, onDone }: { secret: NewTotp; onDone: (codes: readonly string[]) => void }) {
  const t = useText();
  const [code, setCode] = useState('');
  const confirm = useWrite(() => confirmTotp(client, { body: { code: code.trim() } }), {
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
    showsError: true,
  });
  return (
    <Form onSubmit={() => confirm.mutate()}>
      <p>{t('profile.totpScan')}</p>
      <QrCode text={secret.uri} label={t('profile.totpQr')} />
      <p className={styles.muted}>{t('profile.totpType')}</p>
      <div className={styles.secret}>
        <code>{secret.secret}</code>
        <CopyButton text={secret.secret} />
      </div>
      <a href={secret.uri}>{t('profile.totpOpen')}</a>
      <TextField
        label={t('login.code')}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={isWrong(confirm.error) ? t('login.codeWrong') : undefined}
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        required
      />
      {confirm.error && !isWrong(confirm.error) ? <ErrorNotice error={confirm.error} /> : null}
      <LostAnswer error={confirm.error} text={t('profile.totpLost')} />
      <Button type="submit" look="primary" isBusy={confirm.isPending}>
        {t('profile.totpConfirm')}
      </Button>
    </Form>
  );
}

function Codes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const t = useText();
  const finish = useWrite(async () => {}, { invalidates: [SESSION_KEY], onSuccess: onDone });
  return (
    <>
      <p>{t('profile.totpRecoveryText')}</p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.row}>
        <CopyButton text={codes.join('\n')} />
        <Button look="primary" onClick={() => finish.mutate()}>
          {t('profile.totpDone')}
        </Button>
      </div>
    </>
  );
}

function DisableDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const [code, setCode] = useState('');
  const disable = useWrite(() => disableTotp(client, { body: { code: code.trim() } }), {
    done: 'profile.totpDisabled',
    onSuccess: (session) => {
      onClose();
      storeSession(session);
    },
    showsError: true,
  });
  return (
    <Dialog title={t('profile.totpDisable')} onClose={onClose}>
      <Form onSubmit={() => disable.mutate()}>
        <TextField
          label={t('login.code')}
          help={t('profile.totpDisableText')}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          error={isWrong(disable.error) ? t('login.codeWrong') : undefined}
          autoComplete="one-time-code"
          autoFocus
          required
        />
        {disable.error && !isWrong(disable.error) ? <ErrorNotice error={disable.error} /> : null}
        <Button type="submit" look="danger" isBusy={disable.isPending}>
          {t('profile.totpDisable')}
        </Button>
      </Form>
    </Dialog>
  );
}
