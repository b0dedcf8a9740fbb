import type { FastifyInstance } from 'fastify';

/** The page runs its own script and styles and talks to this server only. */
const PAGE_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#0f766e" d="M4 5h24v17H15l-7 6v-6H4z"/></svg>',
)}`;

/** The reference at /docs, served whole by this process: nothing is fetched from anywhere else. */
export async function reference(app: FastifyInstance, documents: { v3: object }): Promise<void> {
  app.get('/openapi.json', async () => documents.v3);
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('content-security-policy', PAGE_CSP);
    reply.header('cache-control', 'no-cache');
    return payload;
  });
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
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
    } as never,
  });
}
