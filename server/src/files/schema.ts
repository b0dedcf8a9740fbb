import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../http/schema.ts';

export const File = Type.Object(
  {
    id: Uuid(),
    filename: Type.String({ description: 'The base name of the name that the client gave' }),
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
