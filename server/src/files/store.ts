import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** The properties of bytes that were written. */
interface Written {
  size: number;
  sha256: Buffer;
  /** The first bytes, from which the type is detected. */
  head: Buffer;
}

/**
 * The folder of uploaded files. Each is named by the id of its record, in one of 256 folders: names given by users never
 * reach the file system. Several processes may share it.
 */
export interface FileStore {
  /** Writes bytes and syncs them, so that a crash cannot lose them. The file gets its name when it is complete. */
  write(id: string, bytes: Readable): Promise<Written>;
  pathOf(id: string): string;
  /** Removes the bytes of a complete or partial file. It is not an error if there are none. */
  remove(id: string): Promise<void>;
}

const HEAD_BYTES = 64 * 1024;

export function fileStore(folder: string): FileStore {
  // The tail of a UUIDv7 is random, so files spread evenly.
  const pathOf = (id: string): string => join(folder, id.slice(-2), id);
  const draftOf = (id: string): string => `${pathOf(id)}.part`;

  async function ensureFolder(path: string): Promise<void> {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    await syncFolder(folder);
    await syncFolder(dirname(folder));
  }

  return {
    pathOf,
    async write(id, bytes) {
      await ensureFolder(dirname(pathOf(id)));
      const file = await open(draftOf(id), 'wx', 0o600);
      let written: Written;
      try {
        written = await drain(bytes, (chunk) => file.appendFile(chunk));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draftOf(id), pathOf(id));
      await syncFolder(dirname(pathOf(id)));
      return written;
    },
    async remove(id) {
      await rm(draftOf(id), { force: true });
      await rm(pathOf(id), { force: true });
    },
  };
}

/** Writes one chunk at a time, so that a fast sender does not fill the memory. */
async function drain(bytes: Readable, write: (chunk: Buffer) => Promise<void>): Promise<Written> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    size += chunk.length;
    await write(chunk);
  }
  return { size, sha256: hash.digest(), head };
}

/** Syncs a folder, so that a new name in it survives a crash. Windows cannot, and does not need to. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
