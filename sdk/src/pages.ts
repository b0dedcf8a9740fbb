import type { Client, Page } from './call.ts';

interface SearchInput {
  body?: { pagination?: { cursor?: string | undefined } | undefined } | undefined;
}
type Search<I, P> = (client: Client, input: I) => Promise<P>;

/** Every page of a search, from the given one on: `for await (const page of pages(searchChats, client, { body }))`. */
export async function* pages<I extends SearchInput, P extends Page<unknown>>(
  search: Search<I, P>,
  client: Client,
  input = {} as I,
): AsyncGenerator<P, void, undefined> {
  let cursor: string | null | undefined = input.body?.pagination?.cursor;
  do {
    const pagination = { ...input.body?.pagination, ...(cursor && { cursor }) };
    const page: P = await search(client, { ...input, body: { ...input.body, pagination } });
    yield page;
    cursor = page.pagination.nextCursor;
  } while (cursor !== null);
}

/** Every item of a search: `for await (const chat of items(searchChats, client, { body }))`. */
export async function* items<I extends SearchInput, T>(
  search: Search<I, Page<T>>,
  client: Client,
  input = {} as I,
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(search, client, input)) yield* page.items;
}
