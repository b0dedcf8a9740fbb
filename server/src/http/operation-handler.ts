import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../base/crypto.ts';
import { endOfTick } from '../base/end-of-tick.ts';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { causedByUser, type TenantDatabase, type TenantTx } from '../db/tenant.ts';
import type { SystemTx } from '../db/transaction.ts';
import { deleted } from './answer.ts';
import { type AuditLog, auditOf, type RouteAudit, recordInTransaction } from './audit.ts';
import type { Authenticator } from './authenticate.ts';
import type { Call, ReceivedFile, SessionCall } from './call.ts';
import type { ChannelAccess } from './channel-access.ts';
import { type StoredContent, sendContent } from './content.ts';
import type { CookieJar } from './cookies.ts';
import { type Download, sendDownload } from './download.ts';
import type { PeopleDeps } from './guards.ts';
import type { Idempotency } from './idempotency.ts';
import { listSender } from './list-answer.ts';
import { hasFeature, hasScope, type Principal, type Scope } from './permissions.ts';
import { callReader } from './read-call.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import { type Finish, isReplayable, type Route } from './route.ts';
import { bodyOf } from './server.ts';
import { openStream } from './stream.ts';
import type { RetiringVersion } from './sunset.ts';
import { requireAllowedSize, withFile } from './upload.ts';

export const OK = 200;
const FOUND = 302;

/** What operations are executed with. */
export interface HandlerDeps {
  db: Database;
  lifecycle: RequestLifecycle;
  authenticator: Authenticator;
  idempotency: Idempotency;
  people: PeopleDeps & { loginCookie: CookieJar };
  audit: AuditLog;
  /** What users see who are restricted to the channels of their teams. */
  channelAccess: ChannelAccess;
  /** The deprecated version of the API, if there is one. */
  retiring?: RetiringVersion;
}

/** Executes an operation for a request whose caller is known, and answers it. */
export function handlerOf(deps: HandlerDeps, route: Route) {
  const { spec } = route;
  // Version 2 ignores what it does not know.
  const readCall = callReader(spec, !deps.retiring?.has(spec.path));
  const replayable = isReplayable(route);
  const audit = auditOf(route);
  const sendList = spec.answer.isList && listSender(spec.answer.schema);
  const tenantOf = (request: FastifyRequest): TenantDatabase =>
    deps.db.forTenant((request.principal as Principal).tenantId);
  const inTransaction = (
    request: FastifyRequest,
    work: (tx: TenantTx | SystemTx) => unknown,
  ): Promise<unknown> =>
    spec.access === 'operator'
      ? deps.db.systemTransaction(async (tx) => work(tx))
      : tenantOf(request).transaction(async (tx) => work(tx));
  /** Runs the handler and records the change in the same transaction. */
  const handleIn = async (
    tx: TenantTx | SystemTx,
    request: FastifyRequest,
    { body }: Call,
    handle: (tx: never) => unknown,
  ): Promise<unknown> => {
    const { caller } = request.principal ?? {};
    const own = caller?.type === 'user' ? causedByUser(tx as TenantTx, caller.id) : tx;
    const result = await handle(own as never);
    if (audit) recordInTransaction(tx, audit.describe(request, body, result));
    return result;
  };
  /** The database of a handler that runs without a transaction. */
  const scopeOf = (request: FastifyRequest): unknown => {
    if (spec.access === 'public') return undefined;
    if (spec.access === 'operator') return deps.db;
    const tenant = tenantOf(request);
    return route.kind === 'statement' ? tenant.autocommit : tenant;
  };

  async function runOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    file?: ReceivedFile,
  ): Promise<object> {
    const principal = request.principal as Principal;
    const idempotent = {
      tenantId: principal.tenantId,
      callerId: principal.caller.id,
      key,
      method: spec.method,
      // From the route and its parameters: a trailing slash makes no difference.
      path: `${spec.path} ${JSON.stringify(request.params)}`,
      bodyHash: file?.hash ?? sha256(request.rawBody ?? Buffer.alloc(0)),
    };
    const prepare = () => {
      const headers: Record<string, string> = {};
      const setHeader: Call['header'] = (name, value) => {
        headers[name] = value;
      };
      const answerOf = (result: unknown) => ({ body: spec.answer.wrap(result as never), headers });
      return { call: readCall(request, setHeader, file), answerOf };
    };
    const answer =
      route.kind === 'call'
        ? await deps.idempotency.reserve(idempotent, async () => {
            const { call, answerOf } = prepare();
            const finish = (await route.handle(call, tenantOf(request))) as Finish<unknown>;
            return async (tx) => answerOf(await handleIn(tx, request, call, finish));
          })
        : await deps.idempotency.once(idempotent, async (tx) => {
            const { call, answerOf } = prepare();
            return answerOf(await handleIn(tx, request, call, (own) => route.handle(call, own)));
          });
    reply.headers(answer.headers);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    deps.lifecycle.close(request, reply, OK);
    return shownTo(principal, answer.body) as object;
  }

  /** A caller who is restricted to channels does not see chats of others, which contacts list. */
  const shownTo = (principal: Principal | undefined, body: unknown): unknown =>
    principal?.channelIds ? deps.channelAccess.withoutHidden(body, principal.channelIds) : body;

  async function runSession(request: FastifyRequest, reply: FastifyReply): Promise<object> {
    let personId = request.session?.personId;
    const { principal: _, ...call } = readCall(request, (name, value) => void reply.header(name, value));
    const sessionCall: SessionCall = {
      ...call,
      session: request.session,
      cookie: deps.people.sessionCookie.read(request),
      loginCookie: deps.people.loginCookie.read(request),
      address: request.ip,
      agent: String(request.headers['user-agent'] ?? ''),
      setCookie: (value, maxAge) => deps.people.sessionCookie.write(reply, value, maxAge),
      setLoginCookie: (value, maxAge) => deps.people.loginCookie.write(reply, value, maxAge),
      actAs: (id) => {
        personId = id;
      },
    };
    const result = await route.handle(sessionCall as never, deps.db);
    if (audit && personId !== undefined)
      await deps.audit.recordOfPerson(personId, audit.describe(request, call.body, undefined));
    if (spec.answer.isRedirect) {
      deps.lifecycle.close(request, reply, FOUND);
      return reply.header('cache-control', 'no-store').redirect(result as string, FOUND);
    }
    deps.lifecycle.close(request, reply, OK);
    return spec.answer.wrap(result as never);
  }

  function run(request: FastifyRequest, reply: FastifyReply, file?: ReceivedFile): unknown {
    if (route.kind === 'session') return runSession(request, reply);
    const wrap = (result: unknown): object | string | Promise<object> => {
      if (spec.answer.isContent)
        return sendContent(request, reply, result as StoredContent, (status) =>
          deps.lifecycle.close(request, reply, status),
        );
      deps.lifecycle.close(request, reply, OK);
      if (spec.answer.isDownload)
        return sendDownload(request, reply, spec.answer.mediaType as string, result as Download);
      const body = shownTo(request.principal, spec.answer.wrap(result as never)) as object;
      return sendList ? sendList(reply, body) : body;
    };
    const key = replayable ? request.headers['idempotency-key'] : undefined;
    if (key !== undefined) return runOnce(request, reply, String(key), file);
    const call = readCall(request, (name, value) => void reply.header(name, value), file);
    if (route.kind === 'stream') return openStream(deps, route, call, request, reply);
    if (route.kind === 'write')
      return inTransaction(request, (tx) =>
        handleIn(tx, request, call, (own) => route.handle(call, own)),
      ).then(wrap);
    if (route.kind === 'call') {
      const tenant = tenantOf(request);
      return (route.handle(call, tenant) as Promise<Finish<unknown>>)
        .then((finish) => tenant.transaction((tx) => handleIn(tx, request, call, finish)))
        .then(wrap);
    }
    const result = route.handle(call, scopeOf(request));
    const answer = result instanceof Promise ? result : endOfTick(result);
    return audit ? answer.then(recordWith(request, call, audit)).then(wrap) : answer.then(wrap);
  }

  /** For a change of one statement, which has no transaction: its entry follows within seconds. */
  const recordWith =
    (request: FastifyRequest, { body }: Call, { describe }: RouteAudit) =>
    (result: unknown): unknown => {
      deps.audit.recordSoon(describe(request, body, result));
      return result;
    };

  /** Answers a caller who is restricted to channels as if the rest did not exist. */
  async function runRestricted(
    request: FastifyRequest,
    reply: FastifyReply,
    file?: ReceivedFile,
  ): Promise<unknown> {
    const { channelIds, caller } = request.principal as Principal & { channelIds: ReadonlySet<string> };
    const given = {
      params: request.params as Record<string, string>,
      query: request.query,
      body: file ? undefined : bodyOf(request, spec.bodyBounds),
    };
    const hidden = await deps.channelAccess.findHidden(tenantOf(request), channelIds, given, caller.id);
    if (!hidden) return run(request, reply, file);
    if (!hidden.isInPath || spec.method !== 'DELETE') throw hidden.error;
    deps.lifecycle.close(request, reply, OK);
    const id = Object.values(request.params as Record<string, string>).at(-1) as string;
    return spec.answer.wrap(deleted(id, false) as never);
  }

  const runFor = (request: FastifyRequest, reply: FastifyReply, file?: ReceivedFile): unknown =>
    request.principal?.channelIds ? runRestricted(request, reply, file) : run(request, reply, file);

  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    if (spec.upload) requireAllowedSize(request, spec.upload);
    if (request.principal) requirePermission(request.principal, route);
    if (!spec.upload) return runFor(request, reply);
    return withFile(request, spec.upload, async (file) => runFor(request, reply, file));
  };
}

function requirePermission(principal: Principal, { spec }: Route): void {
  if (spec.feature !== undefined && !hasFeature(principal, spec.feature))
    throw new ApiError('insufficient_billing_plan', {
      detail: `the plan "${principal.plan}" does not include ${spec.feature}`,
    });
  if (spec.access !== 'token' && !hasScope(principal, spec.access as Scope))
    throw new ApiError('forbidden', {
      detail: `${principal.caller.type === 'token' ? 'the token' : 'your role'} lacks the scope "${spec.access}"`,
    });
  if (
    (spec.isForAdmins || spec.answer.isExport) &&
    principal.caller.type === 'user' &&
    !principal.caller.isAdmin
  )
    throw new ApiError('forbidden', { detail: 'people need the role admin or owner' });
}
