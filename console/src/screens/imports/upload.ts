import { type ExaminedImport, examineImport, uploadFile } from '@parley/sdk';
import { client } from '../../api/api.ts';
import { discardFile } from '../../api/unused-files.ts';

/** A file that was uploaded, with what it contains. */
export interface UploadedTable {
  fileId: string;
  name: string;
  examined: ExaminedImport;
}

/** Uploads a file that only this tenant can read, and looks into it. What is no table is not kept: it is full of personal data. */
export async function uploadTable(file: File): Promise<UploadedTable> {
  const { id, filename } = await uploadFile(client, { body: { file, isPrivate: true } });
  try {
    return { fileId: id, name: filename, examined: await examineImport(client, { body: { fileId: id } }) };
  } catch (error) {
    discardFile(id);
    throw error;
  }
}
