import type { File } from './schema.ts';

/** The file of the examples in the API reference. */
export const exampleFile: File = {
  id: '019a82a0-0000-7000-8000-000000000070',
  filename: 'hello.txt',
  url: 'https://parley.example.com/public/files/q83vEjRWeJCrze8SNFZ4kA/hello.txt',
  isPrivate: false,
  mimeType: 'text/plain',
  size: 6,
  sha256: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
