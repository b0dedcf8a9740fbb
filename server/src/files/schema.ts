import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../http/schema.ts';

export const File = Type.Object(
  {
    id: Uuid(),
    filename: Type.String({ description: 'The base name of the name that the client gave' }),
    url: Type.String({
      description:
        'Downloads it without a token. Permanent, except for a private file and one that a customer sent: then it is signed and ends after 7 days, or PARLEY_FILE_URL_TTL',
    }),
    isPrivate: Type.Boolean({ description: 'Whether it has no permanent URL' }),
    mimeType: Type.String({ description: 'Detected from its bytes, not taken from the client' }),
    size: Type.Integer({ description: 'In bytes' }),
    sha256: Type.String({ description: 'Of its bytes, in hexadecimal digits' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'File' },
);
export type File = Static<typeof File>;

export const FilePublicUrl = Type.Object(
  { publicUrl: Type.String({ description: 'Valid until the file is deleted' }) },
  { title: 'FilePublicUrl' },
);
export type FilePublicUrl = Static<typeof FilePublicUrl>;
