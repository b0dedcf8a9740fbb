import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { keyOf, signedHeaders } from '../../../src/webhooks/payload.ts';
import { useHttpServer } from '../../kit/listeners.ts';

const five = 'createClient, searchChats, getChat, sendChatMessage, createContact, uploadFile';

/** Bundles what a program of an integrator takes from the client. */
async function bundle(contents: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../../../', import.meta.url)) },
    bundle: true,
    minify: true,
    format,
    platform: 'neutral',
    globalName: 'parley',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text as string;
}

describe('a bundle of the client', () => {
  it('has less than 15 kB for five operations, and nothing of the others', async () => {
    const text = await bundle(`export { ${five} } from '@parley/sdk';`);
    expect(gzipSync(text).length).toBeLessThan(15_000);
    expect(text).toContain('/v3/chats/search');
    expect(text).not.toMatch(/\/v3\/campaigns|events\/stream|HMAC/);
    const whole = await bundle("export * from '@parley/sdk';");
    expect(gzipSync(whole).length).toBeLessThan(15_000);
  });

  it('needs nothing but what browsers, Deno and Bun have, too', async () => {
    const { url } = await useHttpServer((request, response) => {
      const isStream = request.url?.startsWith('/v3/events/stream');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      if (isStream) response.write('id: 1\ndata: {"type":"chat.read"}\n\n');
      else response.end('{"success":true,"data":{"id":"c"}}');
    });
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = signedHeaders('3.0.0', 'e', new Date(), '{"type":"chat.read"}', [keyOf(secret)]);
    const standard = { AbortController, Blob, FormData, Headers, TextDecoder, TextEncoder, URLSearchParams };
    const functions = { atob, clearTimeout, crypto, fetch, setTimeout };
    const context = createContext({ ...standard, ...functions, url, secret, headers });
    runInContext(await bundle("export * from '@parley/sdk';", 'iife'), context);
    const program = `(async () => {
      const { createClient, createContact, uploadFile, streamEvents, verifyWebhook } = parley;
      const client = createClient({ baseUrl: url, token: 'x' });
      const made = [await createContact(client, { body: {} }), await uploadFile(client, { body: { file: new Blob(['x']) } })];
      for await (const { type } of streamEvents(client)) { made.push(type); break; }
      made.push((await verifyWebhook({ body: '{"type":"chat.read"}', headers, secret })).type);
      return JSON.stringify(made);
    })()`;
    expect(JSON.parse(await runInContext(program, context))).toEqual([
      { id: 'c' },
      { id: 'c' },
      'chat.read',
      'chat.read',
    ]);
  });
});
