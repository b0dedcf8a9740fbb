import { describe, expect, it } from 'vitest';
import '../../src/app.ts';
import '../../src/automations/runs/worker.ts';
import '../../src/automations/triggers/events.ts';
import '../../src/queues.ts';
import '../../src/installation.ts';
import {
  type AnyStatement,
  declaredStatements,
  joinStatements,
  systemStatement,
} from '../../src/db/statement.ts';
import '../../src/system.ts';
import { connectToFreshDatabase } from '../kit/explain.ts';

const client = await connectToFreshDatabase();

// Other test files of this process declare statements on tables of their own.
const ours = declaredStatements().filter(({ name }) => !name.startsWith('test.'));

describe('every declared statement', () => {
  it('is there to be checked', () => {
    const names = ours.map(({ name }) => name);
    for (const name of ['inbound.find', 'events.claim', 'deliveries.depth', 'shards.take', 'wakeups.notify'])
      expect(names).toContain(name);
  });

  it.each(ours.map(({ name, text }) => [name, text]))('prepares: %s', async (name, text) => {
    await client.query(`prepare "${name}" as ${text}`);
  });

  it('prepares with an entry of the audit log in it', async () => {
    const entry = ours.find(({ name }) => name === 'audit.insert');
    const joined = ours.flatMap((statement) => joinStatements(statement, entry as AnyStatement) ?? []);
    expect(joined.length).toBeGreaterThan(ours.length / 2);
    for (const { name, text } of joined) await client.query(`prepare "${name}" as ${text}`);
  });

  it('has a text that no other statement has', () => {
    const names = new Map<string, string[]>();
    for (const { name, text } of ours.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const normalized = text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
      names.set(normalized, [...(names.get(normalized) ?? []), name]);
    }
    expect([...names.values()].filter((same) => same.length > 1)).toEqual([]);
  });

  it('has a name of its own', () => {
    expect(() => systemStatement('inbound.find', 'select 1')).toThrow('declared twice');
  });
});
