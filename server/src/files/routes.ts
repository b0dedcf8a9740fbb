import { Type } from 'typebox';
import { type FileUrls, SIGNED_FILES_PATH } from '../base/file-urls.ts';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import type { TenantReader } from '../db/tenant.ts';
import { content, DeleteResult, data, deleted } from '../http/answer.ts';
import { meOf, type Principal } from '../http/permissions.ts';
import { publicRead, type Route, routeFamily, upload } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Bind } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { exampleFile } from './example.ts';
import {
  createFile,
  FILE_COLUMNS,
  type FileRow,
  presentFile,
  removeFile,
  requireFile,
  requirePermanentUrl,
  requirePublicFile,
  requireSignedFile,
} from './file.ts';
import { requireStorage } from './limit-storage.ts';
import { type ReceiveDeps, receiveFile } from './receive.ts';
import { File, FilePublicUrl } from './schema.ts';
import { caching, contentOf } from './serve.ts';
import { isVisibleFile } from './visible-files.ts';

const EXAMPLE_CONTENT = 'hello\n';

const files = routeFamily({
  tag: 'Files',
  params: Type.Object({ fileId: Type.String() }),
  exampleParams: { fileId: exampleFile.id },
});

/** A caller who is restricted to channels looks at few of many files, so they are not counted to the end. */
const RESTRICTED_COUNT_CAP = 1_000;

function fileSource({ tenantId, channelIds, caller }: Principal): SearchSource {
  const all = { select: FILE_COLUMNS, from: 'visible_files f', tenantColumn: 'f.tenant_id' };
  if (channelIds === undefined) return all;
  const isVisible = (bind: Bind): string =>
    isVisibleFile({
      tenant: `${bind(tenantId)}::uuid`,
      channelIds: `${bind([...channelIds])}::uuid[]`,
      userId: `${bind(caller.id)}::uuid`,
    });
  return { ...all, where: isVisible, countCap: RESTRICTED_COUNT_CAP };
}

interface FileDeps extends ReceiveDeps {
  /** How many bytes one file may have. */
  maxFileBytes: number;
  /** What public URLs begin with. */
  baseUrl: () => string;
  fileUrls: FileUrls;
}

export function fileRoutes(deps: FileDeps): Route[] {
  const { db, store, baseUrl, fileUrls } = deps;
  const present = (reader: TenantReader, row: FileRow): File =>
    presentFile(row, { fileUrl: reader.fileUrl, baseUrl });
  return [
    upload(
      {
        method: 'POST',
        path: '/v3/files',
        operationId: 'uploadFile',
        tag: 'Files',
        summary: 'Upload a file',
        description:
          'As multipart/form-data, one file in the field `file`, up to 100 MiB unless the operator has set another limit. Its type is detected from its bytes. With the field `isPrivate` set to true it has no permanent URL.',
        access: 'files:write',
        upload: {
          maxBytes: deps.maxFileBytes,
          flags: {
            isPrivate: 'Whether the file has no permanent URL, only signed ones that end; false by default',
          },
          async receive(tenantId, file) {
            // Before the bytes are written; how many there are is known only after.
            await requireStorage(db.forTenant(tenantId), 1);
            return receiveFile(deps, tenantId, file);
          },
        },
        answer: data(File),
        failures: ['limit_reached', 'payload_too_large', 'unsupported_media_type'],
        example: { file: { filename: exampleFile.filename, content: EXAMPLE_CONTENT }, answer: exampleFile },
      },
      async ({ body, principal }, tx) => {
        await requireStorage(tx, body.size);
        const isPrivate = body.flags?.isPrivate ?? false;
        return createFile(tx, body, { isPrivate, uploadedBy: meOf(principal)?.userId ?? null }, baseUrl);
      },
    ),
    files.read(
      {
        method: 'GET',
        path: '/v3/files/:fileId',
        operationId: 'getFile',
        summary: 'Get the properties of a file',
        description: 'Its name, type, size and checksum; the bytes are at `…/content`.',
        access: 'files:read',
        answer: data(File),
        failures: ['file_not_found'],
        example: { answer: exampleFile },
      },
      async ({ params }, tenant) => present(tenant, await requireFile(tenant.byKey, params.fileId)),
    ),
    files.read(
      {
        method: 'GET',
        path: '/v3/files/:fileId/content',
        operationId: 'getFileContent',
        summary: 'Download a file',
        description:
          'The bytes of the file. With `Range` a part of them (206), with `If-None-Match` and the `ETag` of an earlier answer 304.',
        access: 'files:read',
        answer: content,
        failures: ['file_not_found', 'range_not_satisfiable'],
        example: { answer: EXAMPLE_CONTENT },
      },
      async ({ params }, tenant) =>
        contentOf(store, await requireFile(tenant.byKey, params.fileId), caching.ownOnly),
    ),
    files.read(
      {
        method: 'GET',
        path: '/v3/files/:fileId/public_url',
        operationId: 'getFilePublicUrl',
        summary: "Get a file's public URL",
        description:
          'Anyone who has this URL can download the file without a token. It never changes and is valid until the file is deleted. A private file has none: 409.',
        access: 'files:read',
        answer: data(FilePublicUrl),
        failures: ['file_not_found', 'conflict'],
        example: {
          answer: {
            publicUrl: 'https://parley.example.com/public/files/q83vEjRWeJCrze8SNFZ4kA/hello.txt',
          },
        },
      },
      async ({ params }, tenant) => {
        const row = await requireFile(tenant.byKey, params.fileId);
        return { publicUrl: requirePermanentUrl(row, baseUrl()) };
      },
    ),
    searchRoute({
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
          sha256: { type: 'string', sql: `encode(f.sha256, 'hex')` },
          isPrivate: { type: 'boolean', sql: 'f.is_private' },
          createdAt: { type: 'time', sql: 'f.created_at' },
          updatedAt: { type: 'time', sql: 'f.updated_at' },
        },
        names: ['f.filename'],
        id: 'f.id',
      },
      source: async (_reader, _params, principal) => fileSource(principal),
      schema: File,
      presentPage: async (reader: TenantReader, rows: FileRow[]) => rows.map((row) => present(reader, row)),
      example: { query: 'startsWith(mimeType,"text/")', item: exampleFile },
    }),
    files.write(
      {
        method: 'DELETE',
        path: '/v3/files/:fileId',
        operationId: 'deleteFile',
        summary: 'Delete a file',
        description:
          'Also deletes its bytes. Its public URL then answers 404. Refused while an active automation or a campaign uses it, or an import needs it that reads it or has checked it, unless `force` is true.',
        access: 'files:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleFile.id], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'file', params.fileId, query);
        return deleted(params.fileId, await removeFile(tx, params.fileId, query));
      },
    ),
    publicRead(
      {
        method: 'GET',
        path: '/public/files/:publicToken/:name',
        operationId: 'getPublicFile',
        tag: 'Files',
        summary: 'Download a file by its public URL',
        description:
          'Types that browsers can display are sent inline, everything else as an attachment. The name is ignored.',
        access: 'public',
        params: Type.Object({ publicToken: Type.String(), name: Type.String() }),
        answer: content,
        failures: ['file_not_found', 'range_not_satisfiable'],
        example: {
          params: { publicToken: 'q83vEjRWeJCrze8SNFZ4kA', name: 'hello.txt' },
          answer: EXAMPLE_CONTENT,
        },
      },
      async ({ params }) =>
        contentOf(store, await requirePublicFile(db.byKey, params.publicToken), caching.forAll),
    ),
    publicRead(
      {
        method: 'GET',
        path: `${SIGNED_FILES_PATH}/:fileId/:expires/:signature/:name`,
        operationId: 'getSignedFile',
        tag: 'Files',
        summary: 'Download a file by its signed URL',
        description:
          'The URL of a private file, or of a file that a customer sent, as messages, files and events show it. Every process checks the signature; the name is ignored.',
        access: 'public',
        params: Type.Object({
          fileId: Type.String(),
          expires: Type.String(),
          signature: Type.String(),
          name: Type.String(),
        }),
        answer: content,
        failures: ['file_not_found', 'file_url_expired', 'range_not_satisfiable'],
        example: {
          params: {
            fileId: exampleFile.id,
            expires: '1795323600',
            signature: '43i6C_z-NhhxwLX6MPD2js15PpXc6J1UNvWRb1L9eag',
            name: 'hello.txt',
          },
          answer: EXAMPLE_CONTENT,
        },
      },
      async ({ params }) => {
        const { row, remainingMs } = await requireSignedFile(db.byKey, fileUrls, params);
        return contentOf(store, row, caching.until(remainingMs));
      },
    ),
  ];
}
