import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { basePathOf } from './base-path.ts';
import { FAVICON, wantsHtml } from './guides.ts';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CSP,
  'cache-control': 'no-cache',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  map: 'application/json; charset=utf-8',
};
/** Names of built files have no folder, so that none leads out of theirs. */
const ASSET = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(js|css|js\.map|css\.map)$/;

interface Manifest {
  build: string;
  script: string;
  styles: string;
  /** Scripts that the first one imports. */
  preload: string[];
}

interface ConsoleOptions {
  /** Where `console/build.js` writes. */
  folder: string;
  /** Its path is that of a reverse proxy, which removes it. */
  baseUrl: () => string;
}

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

function indexHtml({ build, script, styles, preload }: Manifest, basePath: string): string {
  const base = escapeAttribute(basePath);
  const asset = (name: string): string => `${base}/console/assets/${name}`;
  return `<!doctype html>
<html lang="en" data-base="${base}" data-build="${build}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parley</title>
<link rel="icon" href="${FAVICON}">
<link rel="stylesheet" href="${asset(styles)}">
${preload.map((name) => `<link rel="modulepreload" href="${asset(name)}">\n`).join('')}<script type="module" src="${asset(script)}"></script>
</head>
<body><div id="root"></div><noscript>The console of Parley needs JavaScript.</noscript></body>
</html>
`;
}

/** The best encoding that the client accepts and the build has. */
function encodingFor(request: FastifyRequest): 'br' | 'gz' | undefined {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const accepts = (name: string): boolean =>
    accepted
      .split(',')
      .some((part) => part.trim().split(';', 1)[0] === name && !/;\s*q=0(\.0*)?$/.test(part));
  return accepts('br') ? 'br' : accepts('gzip') ? 'gz' : undefined;
}

const readIfThere = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** The web console: one page for every path below /console, and its files. Nothing is fetched from elsewhere. */
export async function consolePages(app: FastifyInstance, { folder, baseUrl }: ConsoleOptions): Promise<void> {
  const readManifest = async (): Promise<Manifest> => {
    const text = await readIfThere(join(folder, 'manifest.json'));
    if (text === undefined)
      throw new ApiError('service_unavailable', {
        detail: 'the console is not built; run: node console/build.js',
      });
    return JSON.parse(text.toString('utf8'));
  };

  const showPage = async (_request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const html = indexHtml(await readManifest(), basePathOf(baseUrl()));
    reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8');
    return html;
  };

  // Browsers get the console; API clients get the 404 of an unknown path.
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept');
    return wantsHtml(request) ? reply.redirect(`${basePathOf(baseUrl())}/console`) : reply.callNotFound();
  });
  app.get('/console', showPage);
  app.get('/console/*', showPage);
  app.get('/console/version.json', async (_request, reply) => {
    const { build } = await readManifest();
    reply.header('cache-control', 'no-cache');
    return { build };
  });
  app.get<{ Params: { '*': string } }>('/console/assets/*', async (request, reply) => {
    const name = request.params['*'];
    const ending = ASSET.exec(name)?.[1]?.split('.').at(-1);
    if (ending === undefined) return reply.callNotFound();
    const encoding = encodingFor(request);
    const path = join(folder, 'assets', name);
    const compressed = encoding && (await readIfThere(`${path}.${encoding}`));
    const body = compressed ?? (await readIfThere(path));
    if (body === undefined) return reply.callNotFound();
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    if (compressed) reply.header('content-encoding', encoding === 'br' ? 'br' : 'gzip');
    return reply.type(TYPES[ending] as string).send(body);
  });
}
