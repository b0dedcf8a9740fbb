import { getFile, uploadFile } from '@parley/sdk';
import { client, useRead, useWrite } from '../../../api/api.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Field } from '../../../ui/field.tsx';
import { type InputProps, textOf } from './input.ts';

/** A file that is uploaded, and sent to every contact. */
export function FileField({ label, value, error, onChange }: InputProps) {
  const t = useText();
  const fileId = textOf(value);
  const stored = useRead(['files', fileId], (signal) => getFile(client, { path: { fileId }, signal }), {
    enabled: fileId !== '',
  });
  const upload = useWrite((file: File) => uploadFile(client, { body: { file, isPrivate: true } }), {
    onSuccess: ({ id }) => onChange(id, ''),
  });
  const help = upload.isPending ? t('state.loading') : (stored.data?.filename ?? '');
  return (
    <Field label={label} error={error} {...(help === '' ? {} : { help })}>
      {(control) => (
        <input
          {...control}
          type="file"
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file) upload.mutate(file);
          }}
        />
      )}
    </Field>
  );
}
