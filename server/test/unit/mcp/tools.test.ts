import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { contracts } from '../../../src/app.ts';
import { openapiDocument } from '../../../src/http/openapi.ts';
import { toolTable } from '../../../src/mcp/tool-table.ts';
import { type ApiDocument, allowedTools, toolsOf } from '../../../src/mcp/tools.ts';

const routes = contracts();
const tools = toolsOf(
  openapiDocument(routes, ['/v3/'], { title: '', version: '', description: '' }) as unknown as ApiDocument,
);

it('every operation of the table is a tool, with what its route says', () => {
  expect(tools).toHaveLength(Object.keys(toolTable).length);
  for (const tool of tools) {
    const operationId = tool.name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const route = routes.find(({ spec }) => spec.operationId === operationId);
    expect([tool.name, tool.scope ?? 'token']).toEqual([tool.name, route?.spec.access]);
    // A read may be a POST, but a change is never one of the tools that are always offered.
    expect([tool.name, tool.writes]).toEqual([tool.name, route?.kind !== 'read']);
  }
});

it('fields that the table names exist, and those that a body requires are offered', () => {
  for (const { operationId, only } of Object.entries(toolTable).map(([id, entry]) => ({
    operationId: id,
    ...entry,
  }))) {
    const body = routes.find(({ spec }) => spec.operationId === operationId)?.spec.body as
      | { properties: object; required?: string[] }
      | undefined;
    for (const name of only ?? [])
      expect([operationId, Object.keys(body?.properties ?? {})]).toEqual([
        operationId,
        expect.arrayContaining([name]),
      ]);
    if (only)
      expect([operationId, only]).toEqual([operationId, expect.arrayContaining(body?.required ?? [])]);
  }
});

it('a campaign is previewed with its own message, and at its time', () => {
  const schema = tools.find(({ name }) => name === 'preview_campaign')?.inputSchema;
  expect(Object.keys((schema?.properties ?? {}) as object)).toEqual(
    expect.arrayContaining(['message', 'templateHeader', 'scheduledAt', 'timezone']),
  );
});

it('schemas refer only to what they have, and fit into the context of an assistant', () => {
  for (const { name, inputSchema } of tools) {
    const text = JSON.stringify(inputSchema);
    const defined = Object.keys((inputSchema.$defs as object | undefined) ?? {});
    for (const [, reference = ''] of text.matchAll(/"\$ref":"([^"]+)"/g))
      expect([name, defined.map((one) => `#/$defs/${one}`)]).toEqual([
        name,
        expect.arrayContaining([reference]),
      ]);
  }
  expect(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]))
      .length,
  ).toBeLessThan(80_000);
});

it('without writing, only tools that change nothing are allowed, and those of the scopes', () => {
  expect(allowedTools(tools, () => true, false).some(({ writes }) => writes)).toBe(false);
  expect(allowedTools(tools, () => false, true).map(({ name }) => name)).toEqual(['get_me', 'get_job']);
});

it('the guide lists every tool with its scope', async () => {
  const page = await readFile(new URL('../../../../docs/use/assistants.md', import.meta.url), 'utf8');
  const listed = page.split('\n').flatMap((line) => {
    const [, names = '', scope = ''] =
      /^\| ((?:with writing: )?(?:`[a-z_]+` ?)+)\| (.+) \|$/.exec(line) ?? [];
    return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => [
      name,
      scope.replaceAll('`', ''),
      names.startsWith('with'),
    ]);
  });
  expect(listed.toSorted()).toEqual(
    tools.map(({ name, scope, writes }) => [name, scope ?? 'any token', writes]).toSorted(),
  );
});
