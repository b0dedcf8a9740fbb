import { readFileSync } from 'node:fs';
import { groupBy } from '../../src/base/group-by.ts';
import type { FaultTenant, Load } from '../faults/load.ts';
import type { FaultReceiver } from '../faults/receiver.ts';

export interface TenantSummary {
  tenant: string;
  sent: number;
  acknowledged: number;
  delivered: number;
  lost: number;
  invented: number;
  repeated: number;
  medianMs: number;
  worstMs: number;
}

/** What each tenant sent and what its receiver got. A delay is the time from the acknowledgement to the first arrival. */
export function summarize(tenants: FaultTenant[], load: Load, receiver: FaultReceiver): TenantSummary[] {
  const writes = groupBy(load.written, ({ tenantId }) => tenantId);
  const messages = [...receiver.byId.values()].filter(({ event }) => event.type === 'message.received');
  const arrivals = groupBy(messages, ({ event }) => event.tenantId);
  return tenants.map(({ id }, index) => {
    const own = writes.get(id) ?? [];
    const arrived = arrivals.get(id) ?? [];
    const byVendorId = new Map(arrived.map((one) => [one.event.data.vendorId as string, one]));
    const texts = new Set(own.map(({ number }) => `message ${number}`));
    const acknowledged = own.filter(({ outcome }) => outcome === 'ok');
    const delays = acknowledged
      .flatMap(({ vendorId, answeredAt }) => {
        const first = byVendorId.get(vendorId as string)?.at[0];
        return first === undefined ? [] : [Math.max(0, first - (answeredAt as number))];
      })
      .sort((one, other) => one - other);
    return {
      tenant: `tenant ${index + 1}`,
      sent: own.length,
      acknowledged: acknowledged.length,
      delivered: arrived.length,
      lost: acknowledged.filter(({ vendorId }) => !byVendorId.has(vendorId as string)).length,
      invented:
        arrived.filter(({ event }) => !texts.has(event.data.text)).length +
        (arrived.length - new Set(arrived.map(({ event }) => event.data.text)).size),
      repeated: arrived.reduce((sum, { at }) => sum + at.length - 1, 0),
      medianMs: Math.round(delays[Math.floor(delays.length / 2)] ?? 0),
      worstMs: Math.round(delays.at(-1) ?? 0),
    };
  });
}

/** A table with the names of the fields as its head, and the sum or the worst of each column as its last line. */
export function tableOf(rows: TenantSummary[]): string {
  const columns = Object.keys(rows[0] ?? {}) as (keyof TenantSummary)[];
  const numbers = (column: keyof TenantSummary) => rows.map((row) => Number(row[column]));
  const total = columns.map((column) => {
    if (column === 'tenant') return 'all';
    return column.endsWith('Ms')
      ? Math.max(...numbers(column))
      : numbers(column).reduce((sum, one) => sum + one, 0);
  });
  return [columns, ...rows.map((row) => columns.map((column) => row[column])), total]
    .map((line) => line.map((cell) => String(cell).padStart(13)).join(''))
    .join('\n');
}

/** The memory of a process that is not shared with others, in MiB. */
export function memoryOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
