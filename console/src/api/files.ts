import { basePath } from './client.ts';
import { useWorkspace } from './session.tsx';

/** Where a file is loaded from: by its path, because the cookie of the session belongs to this server. */
export function useFilePath(): (fileId: string) => string {
  const { tenantId } = useWorkspace().membership;
  return (fileId) => `${basePath}/v3/files/${fileId}/content?tenantId=${tenantId}`;
}
