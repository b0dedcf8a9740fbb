import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../http/schema.ts';

export const File = Type.Object(
  {
    id: Uuid(),
    filename: Type.String({ description: 'The base name of what the client called it' }),
    mimeType: Type.String({ description: 'Told from its bytes, whatever the client claimed' }),
    size: Type.Integer({ description: 'In bytes' }),
    sha256: Type.String({ description: 'Of its bytes, in hexadecimal digits' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'File' },
);
export type File = Static<typeof File>;

export const FilePublicUrl = Type.Object(
  { publicUrl: Type.String({ description: 'Does not expire; ends with the file' }) },
  { title: 'FilePublicUrl' },
);
export type FilePublicUrl = Static<typeof FilePublicUrl>;
