import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { form, type Part, storedNames, upload } from '../kit/files.ts';
import { useReceiver } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const post = async (...parts: Part[]) =>
  (await server.tenant())
    .call('POST', '/v3/files', form(...parts))
    .then(({ status, body }) => [status, body.error]);

describe('a file', () => {
  it('is uploaded, read, found, downloaded and deleted', async () => {
    const tenant = await server.tenant();
    const content = Buffer.from('Some text,\nand more of it.\n');
    const made = await upload(tenant, content, 'notes.txt');
    expect(made.body.data).toEqual({
      id: expect.any(String),
      filename: 'notes.txt',
      url: expect.stringMatching(/^https:\/\/parley\.test\/public\/files\/[\w-]{22}\/notes\.txt$/),
      isPrivate: false,
      mimeType: 'text/plain',
      size: content.length,
      sha256: sha256(content),
      createdAt: '2026-11-15T01:02:03.456Z',
      updatedAt: '2026-11-15T01:02:03.456Z',
    });
    const path = `/v3/files/${made.body.data.id}`;
    expect((await tenant.get(path)).body.data).toEqual(made.body.data);
    expect((await tenant.get(`${path}/content`)).bytes).toEqual(content);
    for (const body of [
      { search: 'NOTE' },
      { search: made.body.data.id },
      { query: 'and(eq(mimeType,"text/plain"),ge(size,1),contains(filename,"ote"))' },
    ])
      expect((await tenant.post('/v3/files/search', body)).body.data).toEqual([made.body.data]);
    expect((await tenant.post('/v3/files/search', { query: 'gt(size,1000)' })).body.data).toEqual([]);

    expect((await tenant.delete(path)).body.data).toEqual({
      deletedIds: [made.body.data.id],
      notFoundIds: [],
    });
    for (const gone of [path, `${path}/content`, `${path}/public_url`])
      expect((await tenant.get(gone)).body.error.messageKey).toBe('file_not_found');
    expect((await tenant.delete(path)).body.data.notFoundIds).toEqual([made.body.data.id]);
  });

  it('is published to webhooks once', async () => {
    const tenant = await server.tenant();
    const hook = await useReceiver();
    await tenant.post('/v3/api_webhooks', { url: hook.url, events: [{ type: 'file.created' }] });
    const made = await upload(tenant, 'x', 'x.txt');
    await server.settle();
    const bodies = hook.received.map(({ body }) => body);
    expect(bodies).toMatchObject([{ type: 'file.created', channelId: null, data: made.body.data }]);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['%2e%2e%2f%2e%2e%2fpasswd', '%2e%2e%2f%2e%2e%2fpasswd'],
    ['/etc/cron.d/job', 'job'],
    ['C:\\\\boot.ini', 'boot.ini'],
    ['nul\0byte.txt', 'nulbyte.txt'],
    // As browsers write it: only quotes and line breaks are encoded.
    ['a %22quoted%22%0D%0A name 100%.txt', 'a "quoted" name 100%.txt'],
    ['..%2f%22x%5c.txt', '..%2f"x%5c.txt'],
    ['Grüße 😀.txt', 'Grüße 😀.txt'],
  ])('F2: named %j is shown by its base name and stored under its id', async (given, shown) => {
    const tenant = await server.tenant();
    const before = await storedNames(server);
    const made = await upload(tenant, 'x', given);
    expect(made.body.data.filename).toBe(shown);
    const added = (await storedNames(server)).filter((name) => !before.includes(name));
    expect(added).toEqual([made.body.data.id]);
  });

  it.each([
    [
      'before',
      [
        { name: 'is_private', content: 'true' },
        { content: 'text', filename: 'a.txt' },
      ],
    ],
    [
      'after',
      [
        { content: 'text', filename: 'a.txt' },
        { name: 'is_private', content: 'true' },
      ],
    ],
  ])('is not stored with an unknown field %s it', async (_, parts) => {
    const before = await storedNames(server);
    const [status, error] = await post(...parts);
    expect([status, error.invalidParams]).toEqual([
      400,
      {
        is_private: { key: 'unrecognized_keys', message: 'Not a known key; did you mean "isPrivate"?' },
      },
    ]);
    await server.settle();
    expect((await storedNames(server)).filter((name) => !before.includes(name))).toEqual([]);
  });
});

describe('an invalid upload', () => {
  const file: Part = { content: 'text', filename: 'a.txt' };

  it.each<[string, Part[], object]>([
    ['a form without anything', [], { file: { key: 'invalid_type', message: 'Required' } }],
    [
      'a form without a file',
      [{ name: 'isPrivate', content: 'true' }],
      { file: { key: 'invalid_type', message: 'Required' } },
    ],
    [
      'a file in another field',
      [{ ...file, name: 'files' }],
      { files: { key: 'unrecognized_keys', message: 'Not a known key; did you mean "file"?' } },
    ],
    [
      'text instead of a file',
      [{ content: 'text' }],
      { file: { key: 'invalid_type', message: 'Expected a file with a filename' } },
    ],
    ['two files', [file, file], { file: { key: 'too_big', message: 'Send one file in a request' } }],
    [
      'an empty file',
      [{ ...file, content: '' }],
      { file: { key: 'too_small', message: 'The file is empty' } },
    ],
    [
      'a field that would be a prototype',
      [{ name: '__proto__', content: 'x' }, file],
      { body: { key: 'custom', message: 'The form has a field with a name that is not allowed' } },
    ],
    [
      'a file that would be a prototype',
      [{ ...file, name: 'constructor' }],
      { body: { key: 'custom', message: 'The form has a field with a name that is not allowed' } },
    ],
    [
      'too many fields',
      Array.from({ length: 30 }, () => ({ name: 'isPrivate', content: 'true' })),
      { body: { key: 'custom', message: 'The form has more than 20 parts' } },
    ],
    [
      'a field that is not the JSON it says it is',
      [{ name: 'x', type: 'application/json', content: '{' }, file],
      { body: { key: 'custom', message: 'The form has a field that is not the JSON it says it is' } },
    ],
  ])('reports what is wrong with it: %s', async (_, parts, invalidParams) => {
    const [status, error] = await post(...parts);
    expect([status, error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(error.invalidParams).toEqual(invalidParams);
  });

  it.each([
    ['a body that ends too early', form(file).raw.subarray(0, -20), form(file).headers],
    ['a body that ends within the file', form(file).raw.subarray(0, 120), form(file).headers],
    ['noise', Buffer.from('noise'), form(file).headers],
    ['a form without a boundary', form(file).raw, { 'content-type': 'multipart/form-data' }],
    [
      'a boundary that is too long',
      form(file).raw,
      { 'content-type': `multipart/form-data; boundary=${'x'.repeat(300)}` },
    ],
  ])('is refused as an invalid body: %s', async (_, raw, headers) => {
    const tenant = await server.tenant();
    const answer = await tenant.call('POST', '/v3/files', { raw, headers });
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, ['body']]);
  });

  it('V2: is never an internal error, whatever the form contains', async () => {
    const tenant = await server.tenant();
    const from = server.logged.length;
    const disposition = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
    const parts = [
      `${disposition}\r\nContent-Type: text/plain; charset=bogus\r\n\r\nx`,
      'Content-Disposition: form-data; name="x"\r\nContent-Type: text/plain; charset=bogus\r\n\r\nx',
      'Content-Disposition: form-data\r\n\r\nx',
      'Content-Disposition: form-data; filename="a.txt"\r\n\r\nx',
      'Content-Disposition: form-data; name=\r\n\r\nx',
      'Content-Disposition: attachment; name="file"; filename="a.txt"\r\n\r\nx',
      'Content-Disposition: form-data; name="file"; filename="a\\".txt\r\n\r\nx',
      'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%E2%82%AC.txt\r\n\r\nx',
      'Content-Disposition: form-data; name="file"; filename*=bogus\'\'%ff%fe.txt\r\n\r\nx',
      'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%ff%zz\r\n\r\nx',
      'Content-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\nx\r\n--y--',
      'no header at all\r\n\r\nx',
      `${disposition}\r\n\r\n`,
      `${disposition}`,
      `${disposition}\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\nx`,
      `${disposition}\r\n${'X: y\r\n'.repeat(3_000)}\r\nx`,
      `${disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n=====`,
      `Content-Disposition: form-data; name="${'x'.repeat(50_000)}"\r\n\r\nx`,
      `Content-Disposition: form-data; name="file"; filename="${'x'.repeat(50_000)}"\r\n\r\nx`,
      'Content-Disposition: form-data; name="toString"\r\n\r\nx',
      '\r\n\r\n',
      '',
    ];
    for (const part of parts)
      for (const raw of [`--x\r\n${part}\r\n--x--\r\n`, `--x\r\n${part}\r\n--x`, `--x\r\n${part}`]) {
        const headers = { 'content-type': 'multipart/form-data; boundary=x' };
        const answer = await tenant.call('POST', '/v3/files', { raw, headers });
        expect([part.slice(0, 200), [200, 400].includes(answer.status)]).toEqual([part.slice(0, 200), true]);
      }
    expect(server.logged.slice(from).filter((line) => line.includes('internal error'))).toEqual([]);
    const names = (await tenant.post('/v3/files/search', { pagination: { limit: 100 } })).body.data;
    expect(names.map(({ filename }: { filename: string }) => filename)).toContain('€.txt');
  });

  it.each([
    'application/json',
    'text/plain',
    'application/octet-stream',
    'multipart/mixed; boundary=x',
  ])('has another content type: %s', async (type) => {
    const tenant = await server.tenant();
    const answer = await tenant.call('POST', '/v3/files', { raw: '{}', headers: { 'content-type': type } });
    expect([answer.status, answer.body.error.messageKey]).toEqual([415, 'unsupported_media_type']);
    expect(answer.body.error.message).toContain('multipart/form-data');
  });

  it('has no body at all', async () => {
    const tenant = await server.tenant();
    const answer = await tenant.call('POST', '/v3/files');
    expect(answer.body.error.invalidParams).toEqual({ file: { key: 'invalid_type', message: 'Required' } });
  });

  it('is too large', async () => {
    const tenant = await server.tenant();
    const fits = await upload(tenant, Buffer.alloc(1024 * 1024), 'fits.bin');
    expect(fits.status).toBe(200);
    for (const size of [1024 * 1024 + 1, 3 * 1024 * 1024]) {
      const answer = await upload(tenant, Buffer.alloc(size), 'large.bin');
      expect([answer.status, answer.body.error.messageKey]).toEqual([413, 'payload_too_large']);
      expect(answer.body.error.message).toContain('1048576 bytes');
    }
    expect((await tenant.post('/v3/files/search', {})).body.data).toEqual([fits.body.data]);
  });

  it('leaves no files behind', async () => {
    const only = await server.tenant();
    await only.call('POST', '/v3/files', form(file, file));
    await only.call('POST', '/v3/files', form({ ...file, content: '' }));
    await only.call('POST', '/v3/files', { ...form(file), raw: form(file).raw.subarray(0, -20) });
    await upload(only, Buffer.alloc(1024 * 1024 + 1), 'large.bin');
    await server.settle();
    const { rows: records } = await server.system.db.query('select id from files', []);
    expect((await storedNames(server)).sort()).toEqual(records.map(({ id }) => id).sort());
    const { rows } = await server.system.db.query('select 1 from file_removals', []);
    expect(rows).toEqual([]);
    expect((await only.post('/v3/files/search', {})).body.data).toEqual([]);
  });
});

describe('the order of checks of an upload', () => {
  it('is the same as of every other operation', async () => {
    const tenant = await server.tenant();
    const large = { ...form(), headers: { ...form().headers, 'content-length': '9999999' } };
    const weak = { token: await tenant.tokenWith(['files:read']) };
    const status = async (options: object) => (await tenant.call('POST', '/v3/files', options)).status;
    expect(await status({ ...large, token: 'wrong' })).toBe(401);
    expect(await status({ raw: '{', ...weak })).toBe(415);
    expect(await status({ ...large, ...weak })).toBe(413);
    expect(await status({ ...form(), ...weak })).toBe(403);
    const limited = await server.tenant({ rateLimit: 1 });
    await limited.get('/v3/me');
    expect((await limited.call('POST', '/v3/files', large)).status).toBe(429);
  });
});

describe('an upload with an Idempotency-Key', () => {
  const key = { headers: { 'idempotency-key': 'k' } };
  const countStored = async (): Promise<number> => {
    await server.settle();
    return (await storedNames(server)).length;
  };

  it('sent again is the same file, and stores no second one', async () => {
    const tenant = await server.tenant();
    const first = await upload(tenant, 'text', 'a.txt', key);
    const stored = await countStored();
    const again = await upload(tenant, 'text', 'a.txt', { ...key, type: 'text/csv' });
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await countStored()).toBe(stored);
    expect((await tenant.post('/v3/files/search', {})).body.pagination.total).toBe(1);
  });

  it('sent with other bytes or another name is another request', async () => {
    const tenant = await server.tenant();
    await upload(tenant, 'text', 'a.txt', key);
    const stored = await countStored();
    for (const [content, name] of [
      ['other', 'a.txt'],
      ['text', 'b.txt'],
    ] as const)
      expect((await upload(tenant, content, name, key)).status).toBe(422);
    expect(await countStored()).toBe(stored);
  });

  it('R9: fifty times at once is one file', async () => {
    const tenant = await server.tenant();
    const stored = await countStored();
    const answers = await Promise.all(Array.from({ length: 50 }, () => upload(tenant, 'text', 'a.txt', key)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(new Set(answers.flatMap(({ status, text }) => (status === 200 ? [text] : []))).size).toBe(1);
    expect(await countStored()).toBe(stored + 1);
    expect((await tenant.post('/v3/files/search', {})).body.pagination.total).toBe(1);
  });
});
