import type { Client, Page } from './call.ts';

type Search = (client: Client, input: never) => Promise<Page<unknown>>;
type PageOf<S extends Search> = Awaited<ReturnType<S>>;
type ItemOf<S extends Search> = PageOf<S>['items'][number];

interface SearchInput {
  body?: { pagination?: { cursor?: string } };
}

/** Every page of a search, from the given one on: `for await (const page of pages(searchChats, client, { body }))`. */
export async function* pages<S extends Search>(
  search: S,
  ...[client, given]: Parameters<S>
): AsyncGenerator<PageOf<S>, void, undefined> {
  const input: SearchInput = given ?? {};
  let cursor = input.body?.pagination?.cursor;
  do {
    const pagination = { ...input.body?.pagination, ...(cursor && { cursor }) };
    const page = await search(client, { ...input, body: { ...input.body, pagination } } as never);
    yield page as PageOf<S>;
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Every item of a search: `for await (const chat of items(searchChats, client, { body }))`. */
export async function* items<S extends Search>(
  search: S,
  ...args: Parameters<S>
): AsyncGenerator<ItemOf<S>, void, undefined> {
  for await (const page of pages(search, ...args)) yield* page.items as ItemOf<S>[];
}
