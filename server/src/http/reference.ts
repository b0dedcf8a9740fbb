import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { FAVICON, guides } from './guides.ts';

/** The page runs its own scripts and styles and connects to this server only. */
const PAGE_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document of each version, created on first use, and its path. The page opens with the first. */
export type Documents = Record<string, { path: string; create: () => object }>;

const configuration = (documents: Documents) => ({
  sources: Object.entries(documents).map(([title, { path }]) => ({ title, url: path })),
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
async function loadPage(documents: Documents): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = Fastify({ logger: false, routerOptions: { ignoreTrailingSlash: true } });
  await page.register(scalar, { routePrefix: '/docs', configuration: configuration(documents) as never });
  await page.ready();
  return page;
}

interface ReferenceOptions {
  documents: Documents;
  /** The folder docs/ of the repository. */
  guidesFolder: string;
}

/** The reference at /docs and the guides at /docs/guides. This process serves all of it; nothing is fetched from elsewhere. */
export async function reference(
  app: FastifyInstance,
  { documents, guidesFolder }: ReferenceOptions,
): Promise<void> {
  let page: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    page ??= loadPage(documents);
    const answer = await (await page).inject({ method: 'GET', url: request.url });
    if (answer.statusCode === 404) return reply.callNotFound();
    const { location, 'content-type': type } = answer.headers;
    reply
      .code(answer.statusCode)
      .headers({ 'content-security-policy': PAGE_CSP, 'cache-control': 'no-cache' });
    if (location) reply.header('location', location);
    if (type) reply.header('content-type', type);
    return reply.send(answer.rawPayload);
  };
  app.get('/docs', { compress: {} }, show);
  app.get('/docs/*', { compress: {} }, show);
  await guides(app, { folder: guidesFolder });
  for (const { path, create } of Object.values(documents))
    app.get(path, { compress: {} }, async () => create());
}
