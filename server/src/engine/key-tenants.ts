import type { KeyState, TenantState } from './key-state.ts';

const MAX_KNOWN_TENANTS = 10_000;

/** To whom ordering keys belong, and who shares the places of a queue. */
export interface KeyTenants<Row> {
  /** Sets the tenant of a key, if it is known: an ordering key never changes its tenant. */
  recall(key: KeyState<Row>): void;
  /** Sets the tenant of a key, which its first row tells. */
  assign(key: KeyState<Row>, tenantId: string): void;
  setFailing(key: KeyState<Row>, isFailing: boolean): void;
  remove(key: KeyState<Row>): void;
  /** How many tenants have a key that is not failing. */
  readonly sharing: number;
}

const isSharing = ({ keys, failingKeys }: TenantState<unknown>): boolean => keys > failingKeys;

export function countKeyTenants<Row>(): KeyTenants<Row> {
  const tenants = new Map<string, TenantState<Row>>();
  /** By ordering key, also of those without a state. */
  const tenantIds = new Map<string, string>();
  let sharing = 0;

  /** Changes the number of a tenant's keys, and with it who shares the places. */
  function countKeys(tenant: TenantState<Row>, keysMore: number, failingMore: number): void {
    const before = isSharing(tenant);
    tenant.keys += keysMore;
    tenant.failingKeys += failingMore;
    sharing += Number(isSharing(tenant)) - Number(before);
    if (tenant.keys === 0) tenants.delete(tenant.id);
  }

  function assign(key: KeyState<Row>, id: string): void {
    let tenant = tenants.get(id);
    if (!tenant) {
      tenant = { id, ready: new Set(), readyFailing: new Set(), keys: 0, failingKeys: 0, running: 0 };
      tenants.set(id, tenant);
    }
    tenantIds.delete(key.orderingKey);
    tenantIds.set(key.orderingKey, id);
    if (tenantIds.size > MAX_KNOWN_TENANTS) tenantIds.delete(tenantIds.keys().next().value as string);
    key.tenant = tenant;
    countKeys(tenant, 1, Number(key.isFailing));
  }

  return {
    assign,
    recall(key) {
      const id = tenantIds.get(key.orderingKey);
      if (id !== undefined) assign(key, id);
    },
    setFailing(key, isFailing) {
      if (key.isFailing === isFailing) return;
      key.isFailing = isFailing;
      if (key.tenant) countKeys(key.tenant, 0, isFailing ? 1 : -1);
    },
    remove(key) {
      if (key.tenant) countKeys(key.tenant, -1, -Number(key.isFailing));
    },
    get sharing() {
      return sharing;
    },
  };
}
