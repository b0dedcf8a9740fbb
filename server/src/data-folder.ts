import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { OperatorError } from './base/errors.ts';

interface FolderUse {
  /** Whether the embedded database is in it. */
  hasDatabase: boolean;
  isRoot?: boolean;
}

/** The embedded database of root runs as another user, who must be able to enter the folder, but not to list it. */
export const folderMode = ({ hasDatabase, isRoot = process.getuid?.() === 0 }: FolderUse): number =>
  hasDatabase && isRoot ? 0o711 : 0o700;

/** Creates the data folder, or takes away what others may do in an existing one: they must not see what is in it. */
export async function prepareFolder(path: string, use: FolderUse): Promise<void> {
  const mode = folderMode(use);
  try {
    await mkdir(path, { recursive: true, mode });
    await access(path, constants.W_OK | constants.X_OK);
    // Earlier versions created it with 0755. Somebody else's folder cannot be changed.
    const given = (await stat(path)).mode & 0o777;
    if (process.platform !== 'win32' && (given & ~mode) !== 0)
      await chmod(path, given & mode).catch(() => {});
  } catch (error) {
    throw new OperatorError(
      `The data folder ${path} cannot be written to (${(error as NodeJS.ErrnoException).code}). Change its owner, or choose another with --data-dir or PARLEY_DATA_DIR.`,
    );
  }
}
