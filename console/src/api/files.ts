import { basePath } from './client.ts';
import { useWorkspace } from './session.tsx';

/** Types that every browser shows, and that cannot contain scripts. */
const PICTURE = /^image\/(png|jpe?g|gif|webp|avif)$/;
export const isPicture = (mimeType: string | null): boolean => PICTURE.test(mimeType ?? '');

/** Where a file is loaded from: by its path, because the cookie of the session belongs to this server. */
export function useFilePath(): (fileId: string) => string {
  const { tenantId } = useWorkspace().membership;
  return (fileId) => `${basePath}/v3/files/${fileId}/content?tenantId=${tenantId}`;
}
