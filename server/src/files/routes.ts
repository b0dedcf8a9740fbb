import { Type } from 'typebox';
import type { Publisher } from '../engine/outbox.ts';
import { content, DeleteResult, data, deleted, type Route, read, upload, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { exampleFile } from './example.ts';
import {
  createFile,
  FILE_COLUMNS,
  presentFile,
  publicUrlOf,
  removeFile,
  requireFile,
  requirePublicFile,
} from './file.ts';
import { type ReceiveDeps, receiveFile } from './receive.ts';
import { File, FilePublicUrl } from './schema.ts';
import { caching, contentOf } from './serve.ts';

const BYTES = 'hello\n';
const FileId = Type.Object({ fileId: Type.String() });
const at = { params: { fileId: exampleFile.id } };

export interface FileDeps extends ReceiveDeps {
  publisher: Publisher;
  /** How many bytes one file may have. */
  maxFileBytes: number;
  /** What public URLs begin with. */
  baseUrl: () => string;
}

export function fileRoutes(deps: FileDeps): Route[] {
  const { db, clock, wakeUps, publisher, store } = deps;
  return [
    upload(
      {
        method: 'POST',
        path: '/v3/files',
        operationId: 'uploadFile',
        tag: 'Files',
        summary: 'Upload a file',
        description:
          'As multipart/form-data, one file in the field `file`, up to 100 MiB unless the operator says otherwise. Its type is told from its bytes.',
        access: 'files:write',
        upload: {
          maxBytes: deps.maxFileBytes,
          receive: (tenantId, file) => receiveFile(deps, tenantId, file),
        },
        answer: data(File),
        failures: ['payload_too_large', 'unsupported_media_type'],
        example: { file: { filename: exampleFile.filename, content: BYTES }, answer: exampleFile },
      },
      ({ principal, body }, tx) =>
        createFile(tx, principal.tenantId, body, publisher, clock.now(principal.tenantId)),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/files/:fileId',
        operationId: 'getFile',
        tag: 'Files',
        summary: 'Read what is known of a file',
        description: 'Its name, type, size and checksum; the bytes are at `…/content`.',
        access: 'files:read',
        params: FileId,
        answer: data(File),
        failures: ['file_not_found'],
        example: { ...at, answer: exampleFile },
      },
      async ({ principal, params }) =>
        presentFile(await requireFile(db.byKey, principal.tenantId, params.fileId)),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/files/:fileId/content',
        operationId: 'getFileContent',
        tag: 'Files',
        summary: 'Download a file',
        description:
          'The bytes themselves. With `Range` a part of them (206), with `If-None-Match` and the `ETag` of an earlier answer 304.',
        access: 'files:read',
        params: FileId,
        answer: content,
        failures: ['file_not_found', 'range_not_satisfiable'],
        example: { ...at, answer: BYTES },
      },
      async ({ principal, params }) =>
        contentOf(store, await requireFile(db.byKey, principal.tenantId, params.fileId), caching.ownOnly),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/files/:fileId/public_url',
        operationId: 'getFilePublicUrl',
        tag: 'Files',
        summary: "Get a file's public URL",
        description:
          'Whoever has this URL can download the file without a token. It is the same ever after and ends only with the file.',
        access: 'files:read',
        params: FileId,
        answer: data(FilePublicUrl),
        failures: ['file_not_found'],
        example: {
          ...at,
          answer: {
            publicUrl: 'https://parley.exampleFile.com/public/files/q83vEjRWeJCrze8SNFZ4kA/hello.txt',
          },
        },
      },
      async ({ principal, params }) => {
        const row = await requireFile(db.byKey, principal.tenantId, params.fileId);
        return { publicUrl: publicUrlOf(row, deps.baseUrl()) };
      },
    ),
    searchRoute(db, {
      path: '/v3/files/search',
      operationId: 'searchFiles',
      tag: 'Files',
      noun: 'files',
      access: 'files:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'f.id' },
          filename: { type: 'string', sql: 'f.filename' },
          mimeType: { type: 'string', sql: 'f.mime_type' },
          size: { type: 'number', sql: 'f.size' },
          createdAt: { type: 'time', sql: 'f.created_at' },
          updatedAt: { type: 'time', sql: 'f.updated_at' },
        },
        names: ['f.filename'],
        id: 'f.id',
      },
      source: { select: FILE_COLUMNS, from: 'files f', tenantColumn: 'f.tenant_id' },
      schema: File,
      present: presentFile,
      example: { query: 'startsWith(mimeType,"text/")', item: exampleFile },
    }),
    write(
      {
        method: 'DELETE',
        path: '/v3/files/:fileId',
        operationId: 'deleteFile',
        tag: 'Files',
        summary: 'Delete a file',
        description: 'With its bytes and its public URL, which then is not found.',
        access: 'files:write',
        params: FileId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleFile.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.fileId, await removeFile(tx, principal.tenantId, params.fileId, wakeUps)),
    ),
    read(
      {
        method: 'GET',
        path: '/public/files/:publicToken/:name',
        operationId: 'getPublicFile',
        tag: 'Files',
        summary: 'Download a file by its public URL',
        description:
          'What browsers can show is shown, everything else is offered for saving. The name is not looked at.',
        access: 'public',
        params: Type.Object({ publicToken: Type.String(), name: Type.String() }),
        answer: content,
        failures: ['file_not_found', 'range_not_satisfiable'],
        example: { params: { publicToken: 'q83vEjRWeJCrze8SNFZ4kA', name: 'hello.txt' }, answer: BYTES },
      },
      async ({ params }) =>
        contentOf(store, await requirePublicFile(db.byKey, params.publicToken), caching.forAll),
    ),
  ];
}
