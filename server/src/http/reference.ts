import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { basePathOf } from './base-path.ts';
import { FAVICON, GUIDES_PATH, guides } from './guides.ts';

/** The page runs its own scripts and styles and connects to this server only. */
const PAGE_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document of each version, created on first use, and its path. The page opens with the first. */
export type Documents = Record<string, { path: string; create: () => object }>;

const configuration = (documents: Documents, basePath: string) => ({
  sources: Object.entries(documents).map(([title, { path }]) => ({ title, url: `${basePath}${path}` })),
  pageTitle: 'Parley API reference',
  favicon: FAVICON,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: true,
  authentication: { preferredSecurityScheme: 'token' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});

/** The page has four megabytes of script. It is loaded on first use, in a separate server. */
async function loadPage(documents: Documents, basePath: string): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = Fastify({ logger: false, routerOptions: { ignoreTrailingSlash: true } });
  await page.register(scalar, {
    routePrefix: '/docs',
    configuration: configuration(documents, basePath) as never,
  });
  await page.ready();
  return page;
}

interface Document {
  info: { description: string };
}

/** A document for readers below the path of a reverse proxy: its requests and its links to the guides go there. */
function placeDocument(document: object, basePath: string): object {
  if (basePath === '') return document;
  const { info } = document as Document;
  const description = info.description.replaceAll(`](${GUIDES_PATH}`, `](${basePath}${GUIDES_PATH}`);
  return { ...document, info: { ...info, description }, servers: [{ url: basePath }] };
}

interface ReferenceOptions {
  documents: Documents;
  /** Its path is that of a reverse proxy, which removes it. */
  baseUrl: () => string;
  /** The folder docs/ of the repository. */
  guidesFolder: string;
}

/** The reference at /docs and the guides at /docs/guides. This process serves all of it; nothing is fetched from elsewhere. */
export async function reference(
  app: FastifyInstance,
  { documents, baseUrl, guidesFolder }: ReferenceOptions,
): Promise<void> {
  let page: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const basePath = basePathOf(baseUrl());
    page ??= loadPage(documents, basePath);
    const answer = await (await page).inject({ method: 'GET', url: request.url });
    if (answer.statusCode === 404) return reply.callNotFound();
    const { location, 'content-type': type } = answer.headers;
    reply
      .code(answer.statusCode)
      .headers({ 'content-security-policy': PAGE_CSP, 'cache-control': 'no-cache' });
    if (location) reply.header('location', `${basePath}${location}`);
    if (type) reply.header('content-type', type);
    return reply.send(answer.rawPayload);
  };
  app.get('/docs', { compress: {} }, show);
  app.get('/docs/*', { compress: {} }, show);
  await guides(app, { folder: guidesFolder, baseUrl });
  for (const { path, create } of Object.values(documents))
    app.get(path, { compress: {} }, async () => placeDocument(create(), basePathOf(baseUrl())));
}
