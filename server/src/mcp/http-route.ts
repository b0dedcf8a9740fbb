import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidParam } from '../base/errors.ts';
import { lazy } from '../base/lazy.ts';
import type { Guard } from '../http/guards.ts';
import { openapiDocument } from '../http/openapi.ts';
import { hasScope, type Principal, type Scope } from '../http/permissions.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { Route } from '../http/route.ts';
import { bodyOf } from '../http/server.ts';
import type { SendRequest } from './call-tool.ts';
import { createMcpServer } from './create-server.ts';
import { type ApiDocument, allowedTools, isTool, toolsOf } from './tools.ts';

interface McpRouteDeps {
  routes: readonly Route[];
  /** Admits a token of a tenant, and counts the request. */
  admitToken: Guard;
  rateLimit: Pick<RateLimit, 'giveBack'>;
  baseUrl: () => string;
  corsOrigins: readonly string[];
  version: string;
}

const PATH = '/mcp';

/** Only pages of this server, and of those that may call the API, as the protocol demands. Programs send no origin. */
function requireAllowedOrigin({ headers: { origin } }: FastifyRequest, deps: McpRouteDeps): void {
  if (origin === undefined || origin === new URL(deps.baseUrl()).origin) return;
  if (!deps.corsOrigins.includes(origin))
    throw new ApiError('forbidden', { detail: 'pages of this origin may not call; see PARLEY_CORS_ORIGINS' });
}

/** Whether the caller asks for tools that change something: `/mcp?write=true`. */
function wantsWrites(query: unknown): boolean {
  const { write, ...rest } = query as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalidParam(unknown, 'unrecognized_keys', 'There is only "write"');
  if (write === undefined || write === 'false') return false;
  if (write !== 'true') throw invalidParam('write', 'invalid_enum_value', 'Must be true or false');
  return true;
}

/**
 * The Model Context Protocol over streamable HTTP, for assistants. Each request stands alone: there are no sessions, so any
 * process can answer and none keeps anything. A tool is a request of the API within this process, which is authenticated,
 * limited and recorded like any other.
 */
export async function mcpRoute(app: FastifyInstance, deps: McpRouteDeps): Promise<void> {
  const tools = lazy(() => {
    const routes = deps.routes.filter(({ spec }) => isTool(spec.operationId));
    const about = { title: '', version: deps.version, description: '' };
    return toolsOf(openapiDocument(routes, ['/v3/'], about) as unknown as ApiDocument);
  });

  const sendAs =
    (caller: FastifyRequest, reply: FastifyReply): SendRequest =>
    async ({ method, url, headers, body }) => {
      // Only the request that the tool becomes is counted.
      const { tenantId } = caller.principal as Principal;
      deps.rateLimit.giveBack(tenantId, Number(reply.getHeader('x-ratelimit-reset')));
      const answer = await app.inject({
        method: method as 'GET',
        url,
        headers: {
          ...headers,
          authorization: caller.headers.authorization as string,
          'user-agent': 'parley-mcp',
        },
        remoteAddress: caller.ip,
        ...(body === undefined ? {} : { payload: body }),
      });
      const retryAfter = answer.headers['retry-after'];
      return {
        status: answer.statusCode,
        retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
        text: answer.body,
      };
    };

  app.post(
    PATH,
    {
      onRequest: (request, reply, done) => {
        try {
          requireAllowedOrigin(request, deps);
        } catch (error) {
          return done(error as Error);
        }
        deps.admitToken(request, reply, (error) => {
          if (error instanceof ApiError && error.key === 'unauthorized')
            reply.header('www-authenticate', 'Bearer');
          done(error);
        });
      },
    },
    async (request, reply) => {
      const principal = request.principal as Principal;
      const usable = allowedTools(
        tools(),
        (scope) => hasScope(principal, scope as Scope),
        wantsWrites(request.query),
      );
      const message = bodyOf(request);
      // The protocol has no lists of messages any more; one could carry a hundred calls.
      if (Array.isArray(message)) throw invalidParam('body', 'invalid_type', 'Must be one message');
      const send = sendAs(request, reply);
      const server = await createMcpServer({ tools: usable, send, version: deps.version });
      const { WebStandardStreamableHTTPServerTransport } = await import(
        '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
      );
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      try {
        await server.connect(transport);
        const answer = await transport.handleRequest(webRequestOf(request, deps.baseUrl()), {
          parsedBody: message ?? null,
        });
        return await sendAnswer(reply, answer);
      } finally {
        await server.close();
      }
    },
  );

  // Nothing is ever sent without a request, and there is no session to end.
  const refuse = (_request: FastifyRequest, reply: FastifyReply): never => {
    reply.header('allow', 'POST');
    throw new ApiError('method_not_allowed', {
      detail: 'POST a message; there are no streams and no sessions',
    });
  };
  app.get(PATH, refuse);
  app.delete(PATH, refuse);
}

/** What the transport reads of a request; the body was read before. */
const webRequestOf = ({ headers, url }: FastifyRequest, baseUrl: string): Request =>
  new Request(new URL(url, baseUrl), {
    method: 'POST',
    headers: Object.fromEntries(
      ['accept', 'content-type', 'mcp-protocol-version'].flatMap((name) =>
        typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
      ),
    ),
  });

async function sendAnswer(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  reply.code(answer.status);
  const type = answer.headers.get('content-type');
  if (type) reply.type(type);
  return reply.send(await answer.text());
}
