import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/** The page runs its own script and styles and talks to this server only. */
const PAGE_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#0f766e" d="M4 5h24v17H15l-7 6v-6H4z"/></svg>',
)}`;

/** The OpenAPI document of each version, and where it is served. The page opens with the first. */
export type Documents = Record<string, { path: string; document: object }>;

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

/** The page is four megabytes of script, so it is loaded when someone first looks, in a server of its own. */
async function loadPage(documents: Documents): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = Fastify({ logger: false, routerOptions: { ignoreTrailingSlash: true } });
  await page.register(scalar, { routePrefix: '/docs', configuration: configuration(documents) as never });
  await page.ready();
  return page;
}

/** The reference at /docs, served whole by this process: nothing is fetched from anywhere else. */
export async function reference(
  app: FastifyInstance,
  { documents }: { documents: Documents },
): Promise<void> {
  let page: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    page ??= loadPage(documents);
    const answer = await (await page).inject({ method: 'GET', url: request.url });
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
  for (const { path, document } of Object.values(documents))
    app.get(path, { compress: {} }, async () => document);
}
