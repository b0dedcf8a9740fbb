import pg from 'pg';
import { clientConfig } from '../../src/db/client-config.ts';
import { openSession } from '../../src/db/session.ts';
import { declaredStatements } from '../../src/db/statement.ts';
import { cleanUp } from './clean-up.ts';
import { freshDatabase } from './server.ts';

/** A node of a plan, as `explain (analyze, format json)` returns it. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'CTE Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Connects to a new database with the settings of the server's connections. It is closed with its test or file. */
export async function connectToFreshDatabase(settings: Record<string, string> = {}): Promise<pg.Client> {
  const config = clientConfig({
    connection: { connectionString: await freshDatabase() },
    applicationName: 'test',
  });
  const client = new pg.Client({ ...config, query_timeout: 0 });
  // Filling the tables takes longer than a request may, on a busy machine.
  await openSession(client, {
    ...settings,
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  });
  cleanUp(() => client.end());
  return client;
}

/** The settings of a transaction that searches. */
export const SEARCH_SETTINGS = { plan_cache_mode: 'force_custom_plan' };

/** Runs a statement and returns all nodes of its plan. */
export async function explain(client: pg.Client, text: string, values: unknown[] = []): Promise<PlanNode[]> {
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
  return listNodes(rows[0]['QUERY PLAN'][0].Plan);
}

const listNodes = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

/** Runs a declared statement with the plan of a prepared one. The values are SQL. */
export async function explainDeclared(client: pg.Client, name: string, values: string): Promise<PlanNode[]> {
  const text = declaredStatements().find((statement) => statement.name === name)?.text;
  await client.query(`prepare explained as ${text}`);
  const nodes = await explain(client, `execute explained (${values})`);
  await client.query('deallocate explained');
  return nodes;
}

/** How many rows the nodes have returned, over all their loops. */
export const sumReturnedRows = (nodes: readonly PlanNode[]): number =>
  nodes.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);

/** How many rows the node has read and returned or filtered out, over all its loops. */
export const countReadRows = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

/** How many rows the scans of a table have read. */
export const countReadFrom = (nodes: readonly PlanNode[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table && /Scan/.test(node['Node Type']))
    .reduce((sum, scan) => sum + countReadRows(scan), 0);
