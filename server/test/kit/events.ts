import type { TestServer, TestTenant } from './server.ts';

export interface ToldEvent {
  type: string;
  contactId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any;
}

/** Everything that the tenant's events say so far, in order; afterwards nothing has been said yet. */
export function listener(server: TestServer, tenant: TestTenant): () => Promise<ToldEvent[]> {
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
