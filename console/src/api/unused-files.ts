import { deleteFile } from '@parley/sdk';
import { useEffect, useRef } from 'react';
import { isRefused } from '../ui/lost-answer.tsx';
import { client } from './client.ts';

/** Deletes a file that nobody needs. The server keeps one that an import, a campaign or an automation needs. */
export const discardFile = (fileId: string): void =>
  void deleteFile(client, { path: { fileId } }).catch(() => {});

/** Files that a window has uploaded and that surely nothing uses. They are deleted when it is closed. */
export function useUnusedFiles() {
  const ids = useRef<ReadonlySet<string>>(new Set());
  const isClosed = useRef(false);
  const discard = (fileId: string): void => {
    if (ids.current.has(fileId)) discardFile(fileId);
    ids.current = new Set([...ids.current].filter((id) => id !== fileId));
  };
  const add = (fileId: string): void => {
    ids.current = new Set([...ids.current, fileId]);
    if (isClosed.current) discard(fileId);
  };
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
      for (const id of ids.current) discardFile(id);
      ids.current = new Set();
    };
  }, []);
  return {
    add,
    /** Deletes the file, if it is one of them. */
    discard,
    /** Keeps them for what is stored now. Without an answer nobody knows whether it uses them. Then they stay. */
    async keepFor<T>(store: () => Promise<T>): Promise<T> {
      const used = ids.current;
      ids.current = new Set();
      try {
        return await store();
      } catch (error) {
        if (isRefused(error)) for (const id of used) add(id);
        throw error;
      }
    },
  };
}
