import { beforeEach, describe, expect, it } from 'vitest';
import { upload } from '../kit/files.ts';
import { contactsByName, importFile, startImport } from '../kit/imports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer({ maxFileBytes: 32 * 1024 * 1024 });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});
const run = (content: string | Buffer, options: Parameters<typeof startImport>[2] = {}) =>
  importFile(server, tenant, content, options);

describe('a file that is imported', () => {
  it.each([
    ['UTF-16', Buffer.from('\ufeffName\tPhone\r\nJörg\t+15550001111\r\n', 'utf16le'), 'utf-16le', '\t'],
    ['UTF-8 with a mark', Buffer.from('\ufeffName;Phone\nJörg;+15550001111\n'), 'utf-8', ';'],
    [
      'an encoding of Windows',
      Buffer.from('Name;Phone\nJ\xf6rg;+15550001111\n', 'latin1'),
      'windows-1252',
      ';',
    ],
  ])('may be in %s', async (_name, content, encoding, delimiter) => {
    expect(await run(content)).toMatchObject({ status: 'completed', encoding, delimiter, created: 1 });
    expect(await contactsByName(tenant)).toMatchObject([{ firstName: 'Jörg', phoneNumber: '+15550001111' }]);
  });

  it('may turn out to be in an encoding of Windows far behind its beginning', async () => {
    const plain = Array.from({ length: 12_000 }, (_, row) => `Ada;+1555${1_000_000 + row};xxxxxxxx`).join(
      '\n',
    );
    const content = Buffer.from(`Name;Phone;Notes\n${plain}\nJ\xf6rg;+15550002222;\n`, 'latin1');
    const done = await run(content, { dryRun: true });
    expect(done).toMatchObject({ status: 'completed', encoding: 'windows-1252', total: 12_001, failed: 0 });
  });

  it('may have 200 columns', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `c${index}`);
    const cells = names.map((_name, index) => (index === 150 ? '+15550001111' : `v${index}`));
    const done = await run(`${names.join(',')}\n${cells.join(',')}\n`, {
      mapping: { c150: 'phoneNumber' },
    });
    expect(done).toMatchObject({ created: 1, failed: 0 });
    expect(done.mapping).toEqual({ c150: 'phoneNumber' });
  });

  it('may have what errors.csv has made of texts that look like formulas, and gets them back', async () => {
    const texts = ['10;-5', '＝x', '=1+1'];
    const table = texts.map((text) => `"${text}",12`).join('\n');
    const wrong = await run(`name,phone\n${table}\n`);
    const errors = (await tenant.get(`/v3/imports/${wrong.id}/errors.csv`)).text;
    const corrected = errors
      .split(',12')
      .map((part, index) => (index === 0 ? part : `,+1555000111${index}${part}`));
    expect(await run(corrected.join(''))).toMatchObject({ created: 3, failed: 0 });
    const names = (await contactsByName(tenant)).map(({ fullName }: { fullName: string }) => fullName);
    expect(names.sort()).toEqual(texts.toSorted());
  });

  it('may have formulas, which stay texts', async () => {
    const done = await run(
      `name,phone\n=1+1,"=""+15550001111"""\n'+cmd|x,+15550002222\n"=HYPERLINK(""http://x"")",+15550003333\n`,
    );
    expect(done).toMatchObject({ created: 3, failed: 0 });
    const names = (await contactsByName(tenant)).map(({ fullName }: { fullName: string }) => fullName);
    expect(names.sort()).toEqual(['+cmd|x', '=1+1', '=HYPERLINK("http://x")']);
    const exported = (await tenant.get('/v3/contacts/export.csv')).text;
    expect(exported).toContain("'=1+1");
    expect(await run(exported, { dryRun: true, onExisting: 'update' })).toMatchObject({
      created: 0,
      updated: 3,
      failed: 0,
    });
  });

  it.each([
    ['has a quote that is never closed', 'name,phone\nAda,+15550001111\nEve,"+15550002222\n', 'never closed'],
    ['has a row of 2 MB', `name,phone\nAda,+15550001111\n${'x'.repeat(2_000_000)}\n`, 'Row 3 is longer'],
  ])('fails before anything is stored if it %s', async (_name, content, message) => {
    const done = await run(content);
    expect(done).toMatchObject({ status: 'failed', created: 0, error: expect.stringContaining(message) });
    expect(await contactsByName(tenant)).toEqual([]);
  });

  it('may have nothing below its header', async () => {
    expect(await run('name,phone\n')).toMatchObject({ status: 'completed', total: 0 });
  });

  it.each([
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'CSV'],
    ['a page', '<html><body>name,phone</body></html>', 'CSV'],
    ['binary', Buffer.from([1, 2, 0, 0, 0, 3, 0, 9]), 'not a text'],
  ])('is refused if it is %s', async (_name, content, message) => {
    const { id } = (await upload(tenant, content, 'table.csv')).body.data;
    const answer = await tenant.post('/v3/imports', { fileId: id, mapping: { phone: 'phoneNumber' } });
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams.fileId.message).toContain(message);
  });

  describe('and is deleted', () => {
    const TABLE = 'name,phone\nAda,+15550001111\n';
    const fileStatus = async (fileId: string) => (await tenant.get(`/v3/files/${fileId}/content`)).status;
    const importOf = async (id: string) => (await tenant.get(`/v3/imports/${id}`)).body.data;

    it.each([false, true])('is kept while the import has not ended, dryRun %s', async (dryRun) => {
      const { id, fileId } = (await startImport(tenant, TABLE, { dryRun })).body.data;
      for (const path of [`/v3/files/${fileId}`, `/v3/files/${fileId}?force=false`]) {
        const refused = await tenant.delete(path);
        expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
        expect(refused.body.error.message).toContain(`the import "customers.csv" (${id}) reads the file`);
      }
      expect(await fileStatus(fileId)).toBe(200);
      await server.settle();
      expect(await importOf(id)).toMatchObject({ status: 'completed', created: 1, failed: 0 });
    });

    it('is kept after a check, until it was imported', async () => {
      const checked = await run(TABLE, { dryRun: true });
      const path = `/v3/files/${checked.fileId}`;
      const refused = await tenant.delete(path);
      expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
      expect(refused.body.error.message).toContain(`checked by the import "customers.csv" (${checked.id})`);
      await tenant.post('/v3/imports', { fileId: checked.fileId, mapping: checked.mapping });
      expect((await tenant.delete(path)).body.error.message).toContain('reads the file');
      await server.settle();
      expect((await tenant.delete(path)).body.data.deletedIds).toEqual([checked.fileId]);
      expect(await fileStatus(checked.fileId)).toBe(404);
    });

    it('is deleted after the import was cancelled', async () => {
      const { id, fileId } = (await startImport(tenant, TABLE)).body.data;
      await tenant.post(`/v3/imports/${id}/cancel`);
      await server.settle();
      expect((await importOf(id)).status).toBe('cancelled');
      expect((await tenant.delete(`/v3/files/${fileId}`)).body.data.deletedIds).toEqual([fileId]);
    });

    it('ends the import with force', async () => {
      const { id, fileId } = (await startImport(tenant, TABLE)).body.data;
      expect((await tenant.delete(`/v3/files/${fileId}?force=true`)).status).toBe(200);
      await server.settle();
      expect(await importOf(id)).toMatchObject({ status: 'failed', error: 'The file was deleted' });
    });

    it('is not kept by an import of another tenant or another file', async () => {
      await startImport(tenant, TABLE);
      const { id } = (await upload(tenant, TABLE, 'other.csv')).body.data;
      expect((await tenant.delete(`/v3/files/${id}`)).body.data.deletedIds).toEqual([id]);
      const other = await server.tenant();
      const { fileId } = (await startImport(tenant, TABLE)).body.data;
      expect((await other.delete(`/v3/files/${fileId}`)).body.data.notFoundIds).toEqual([fileId]);
    });
  });
});
