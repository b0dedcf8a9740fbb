import type { TestServer, TestTenant } from './server.ts';

export interface PublishedEvent {
  type: string;
  contactId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any;
}

/** Returns a function that reads the events of the tenant since its last call, in order. */
export function listener(server: TestServer, tenant: TestTenant): () => Promise<PublishedEvent[]> {
  let heard = 0;
  return async () => {
    const { rows } = await server.system.db.query(
      'select type, contact_id, data, position from events where tenant_id = $1 and position > $2 order by position',
      [tenant.id, heard],
    );
    heard = Number(rows.at(-1)?.position ?? heard);
    return rows.map((row) => ({
      type: row.type as string,
      contactId: row.contact_id as string | null,
      data: JSON.parse(row.data as string),
    }));
  };
}
