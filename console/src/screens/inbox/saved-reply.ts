import { getFileContent, renderSavedReply, type SavedReply } from '@parley/sdk';
import { client } from '../../api/api.ts';

async function readFile({ fileId, filename, mimeType }: SavedReply['media'][number]): Promise<File> {
  const answer = await getFileContent(client, { path: { fileId } });
  return new File([await answer.blob()], filename, { type: mimeType });
}

/** A saved reply as it is sent in a chat: its text with everything filled in, and its files. */
export async function readSavedReply(
  { id, media }: SavedReply,
  chatId: string,
): Promise<{ text: string; files: File[] }> {
  const [{ text }, files] = await Promise.all([
    renderSavedReply(client, { path: { savedReplyId: id }, body: { chatId } }),
    Promise.all(media.map(readFile)),
  ]);
  return { text, files };
}
