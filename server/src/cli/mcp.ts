import { getMe } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import type { SendRequest } from '../mcp/call-tool.ts';
import { createMcpServer } from '../mcp/create-server.ts';
import { type ApiDocument, allowedTools, toolsOf } from '../mcp/tools.ts';
import { version } from '../version.ts';
import { ask } from './api.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  refuseArguments,
  type Target,
  targetFlags,
  targetHelp,
} from './options.ts';
import { reasonOf } from './send.ts';

const ANSWER_MS = 60_000;

const flags = { ...targetFlags, write: { type: 'boolean' } } as const;

const help = `parley mcp: serves an assistant over the Model Context Protocol, on standard input and output.

  parley mcp --write

  --write              also offer what changes something: send messages, write notes, label, assign, close
${targetHelp}

An assistant starts this program by itself; docs/use/assistants.md has its settings. Without --write it can only read. It
is offered what the scopes of the token allow: give it a token of its own.`;

/** `parley mcp`: runs until the assistant closes its input. */
export async function mcp(args: string[], { env, say, note, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('mcp', args, flags);
  if (values.help) return say(help);
  refuseArguments('mcp', positionals);
  const target = readTarget(values, env);
  const { scopes, tenant } = await ask(target, signal, getMe);
  const isAllowed = (scope: string): boolean => scopes.some((one) => one === '*' || one === scope);
  const tools = allowedTools(toolsOf(await readDocument(target, signal)), isAllowed, values.write === true);
  const server = await createMcpServer({ tools, send: createSender(target, signal), version });
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => resolve());
    signal.addEventListener('abort', () => resolve());
  });
  await server.connect(new StdioServerTransport());
  note(`Serving ${tools.length} tools of "${tenant.name}"${values.write ? '' : ', which only read'}.`);
  await ended;
  await server.close();
  process.stdin.destroy();
}

/** The tools are made of what the server says about itself, so that they fit its version. */
async function readDocument({ url }: Target, signal: AbortSignal): Promise<ApiDocument> {
  try {
    const response = await fetch(`${url}/openapi.json`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    const document = (await response.json()) as ApiDocument;
    if (!response.ok || !document?.paths) throw new Error(`it answers ${response.status}`);
    return document;
  } catch (error) {
    throw new OperatorError(
      `The server at ${url} does not say what it can do (${reasonOf(error)}). Check --url.`,
    );
  }
}

/** Sends requests with the token. After the server asked for a pause, none is sent until it is over. */
function createSender({ url, token }: Target, signal: AbortSignal): SendRequest {
  let pausedUntil = 0;
  return async (request) => {
    const pauseMs = pausedUntil - Date.now();
    if (pauseMs > 0) return refusal(429, 'Too many requests', String(Math.ceil(pauseMs / 1000)));
    try {
      const response = await fetch(url + request.url, {
        method: request.method,
        headers: {
          ...request.headers,
          authorization: `Bearer ${token}`,
          'user-agent': `parley-mcp/${version}`,
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        redirect: 'error',
      });
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      if (response.status === 429) pausedUntil = Date.now() + (Number(retryAfter) || 1) * 1000;
      return { status: response.status, retryAfter, text: await response.text() };
    } catch (error) {
      return refusal(
        503,
        `No server answers at ${url} (${reasonOf(error)}). It is unknown whether it did something`,
      );
    }
  };
}

/** An answer as the API would give it. */
const refusal = (status: number, message: string, retryAfter?: string) => ({
  status,
  retryAfter,
  text: JSON.stringify({ success: false, error: { message } }),
});
