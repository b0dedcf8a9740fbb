import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { SearchEcho, SearchPagination } from '../search/schema.ts';
import type { StoredContent } from './content.ts';
import type { Download } from './download.ts';

/** How a handler's result becomes the answer's body. */
export interface Answer<R extends TSchema> {
  schema: TSchema;
  wrap: (result: Static<R>) => object;
  /** Whether it can contain many records. */
  isList?: true;
  /** The media type of an answer that is not JSON. */
  mediaType?: string;
  /** Whether it is the content of a file and not JSON. */
  isContent?: true;
  /** Whether it is a file that is generated while it is sent. */
  isDownload?: true;
  /** Whether it is a file of many records, or of everything about a person: people need the role admin or owner. */
  isExport?: true;
  /** Whether it sends the browser to another address, which is the result. */
  isRedirect?: true;
  /** Types only. */
  result?: R;
}

const Success = Type.Literal(true);
const EventText = Type.String();
const Address = Type.String();

/** `{ success: true, data }`. */
export function data<S extends TSchema>(schema: S): Answer<S> {
  return {
    schema: Type.Object({ success: Success, data: schema }),
    wrap: (result) => ({ success: true, data: result }),
  };
}

/** `{ success: true, ...fields }`, for answers with more than data. */
export function fields<S extends TSchema>(schema: S): Answer<S> {
  const properties = (schema as unknown as { properties: Record<string, TSchema> }).properties;
  return {
    schema: Type.Object({ success: Success, ...properties }),
    wrap: (result) => ({ success: true, ...(result as object) }),
  };
}

/** The answer of every `POST …/search`, of which one may have more fields. */
export function found<S extends TSchema>(schema: S, more?: TSchema) {
  const { properties = {} } = (more ?? {}) as { properties?: Record<string, TSchema> };
  const page = Type.Object({
    data: Type.Array(schema),
    pagination: SearchPagination,
    query: SearchEcho,
    ...properties,
  });
  return { ...fields(page), isList: true as const };
}

/** Server-sent events. The example is the text of one event. */
export const eventStream: Answer<typeof EventText> = {
  schema: EventText,
  wrap: (text) => text as never,
  mediaType: 'text/event-stream',
};

/** Sends the browser to the URL that is the result. */
export const redirect: Answer<typeof Address> = {
  schema: Address,
  wrap: (url) => url as never,
  isRedirect: true,
};

/** The content of a file or the requested range of it. Only errors are JSON. */
export const content: Answer<TUnsafe<StoredContent>> = {
  schema: Type.String({ contentMediaType: 'application/octet-stream' }),
  wrap: (stored) => stored,
  isContent: true,
};

/** A CSV file. Only errors are JSON. */
export const csv: Answer<TUnsafe<Download>> = {
  schema: Type.String(),
  wrap: (text) => text as never,
  mediaType: 'text/csv',
  isDownload: true,
  isExport: true,
};

/** A JSON file that is generated while it is sent, in the envelope of every answer. */
export const jsonFile = (schema: TSchema): Answer<TUnsafe<Download>> => ({
  ...(data(schema) as unknown as Answer<TUnsafe<Download>>),
  mediaType: 'application/json',
  isDownload: true,
  isExport: true,
});

/** A page for a browser, whose handler sets its headers. Only errors are JSON. */
export const html: Answer<TUnsafe<Download>> = {
  schema: Type.String(),
  wrap: (text) => text as never,
  mediaType: 'text/html',
  isDownload: true,
};

export const DeleteResult = Type.Object(
  { deletedIds: Type.Array(Type.String()), notFoundIds: Type.Array(Type.String()) },
  { title: 'DeleteResult', description: 'The ids that were deleted and those that were not found' },
);

export const deleted = (id: string, wasFound: boolean): Static<typeof DeleteResult> =>
  wasFound ? { deletedIds: [id], notFoundIds: [] } : { deletedIds: [], notFoundIds: [id] };

/** The result of a deletion that may go on in the background. */
export const RemovalResult = Type.Object(
  {
    ...DeleteResult.properties,
    jobId: Type.Union([Type.String(), Type.Null()], {
      description:
        'The job that deletes the rest, if there is much of it; null if everything is deleted. What is being deleted is hidden at once',
    }),
  },
  { title: 'RemovalResult' },
);

export const removed = (
  id: string,
  removal: { jobId: string | null } | undefined,
): Static<typeof RemovalResult> => ({
  ...deleted(id, removal !== undefined),
  jobId: removal?.jobId ?? null,
});
