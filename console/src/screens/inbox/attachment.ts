import type { Message, SavedReply } from '@parley/sdk';

/** A file that the server has already, such as one of a saved reply. It is sent without moving its bytes. */
interface StoredFile {
  fileId: string;
  /** As those of a `File`. */
  name: string;
  type: string;
  size: number | null;
}

/** What is sent with a text. */
export type Attachment = File | StoredFile;

export const isStoredFile = (file: Attachment): file is StoredFile => 'fileId' in file;

/** The files of a saved reply or a message. Those that the server does not have are left out. */
export const storedFilesOf = (
  media: readonly (SavedReply['media'][number] | Message['media'][number])[],
): StoredFile[] =>
  media.flatMap(({ fileId, filename, mimeType, size }) =>
    fileId === null ? [] : { fileId, name: filename ?? 'file', type: mimeType ?? '', size },
  );
