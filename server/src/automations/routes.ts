import { Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import {
  DeleteResult,
  data,
  deleted,
  fields,
  type Route,
  type RouteSpec,
  read,
  write,
  writeStatement,
} from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import {
  automationFields,
  automationSource,
  createAutomation,
  presentAutomation,
  removeAutomation,
  requireAutomation,
} from './automation.ts';
import { changeAutomation, publishAutomation, setAutomationStatus } from './change-automation.ts';
import { exampleAutomation, exampleDefinition, exampleRun } from './example.ts';
import { cancelRun, presentRun, requireRun, retryRun, runFields, runSource } from './runs/run.ts';
import {
  Automation,
  AutomationChange,
  AutomationRun,
  AutomationRunWithTrace,
  AutomationStatusChange,
  AutomationTrigger,
  NewAutomation,
  Publication,
} from './schema.ts';
import { automationTrigger } from './triggers/api.ts';

export interface AutomationDeps {
  db: Database;
  clock: Clock;
  wakeUps: WakeUps;
  policy: OutboundPolicy;
}

/** What all operations on one automation, and on one run, have in common. */
const one = {
  tag: 'Automations',
  feature: 'automations',
  params: Type.Object({ automationId: Type.String() }),
  failures: ['automation_not_found'],
} as const satisfies Partial<RouteSpec>;
const run = {
  tag: 'Automation runs',
  feature: 'automations',
  params: Type.Object({ runId: Type.String() }),
  failures: ['automation_run_not_found'],
} as const satisfies Partial<RouteSpec>;
const at = { params: { automationId: exampleAutomation.id } };
const atRun = { params: { runId: exampleRun.id } };

export function automationRoutes(deps: AutomationDeps): Route[] {
  const { db, clock, policy } = deps;
  const trigger = automationTrigger(deps);
  return [
    write(
      {
        method: 'POST',
        path: '/v3/automations',
        operationId: 'createAutomation',
        tag: one.tag,
        feature: one.feature,
        summary: 'Make an automation',
        description:
          'A draft with its first version: nothing starts before it is published. Every fault of the definition is named with its path, such as `steps.2.parameters.cases.0.next`.',
        access: 'automations:write',
        body: NewAutomation,
        answer: data(Automation),
        failures: [],
        example: { body: exampleDefinition, answer: exampleAutomation },
      },
      ({ principal, body }, tx) =>
        createAutomation(tx, principal.tenantId, body, { policy, now: clock.now(principal.tenantId) }),
    ),
    read(
      {
        ...one,
        method: 'GET',
        path: '/v3/automations/:automationId',
        operationId: 'getAutomation',
        summary: 'Read an automation',
        description: 'With the version that runs start on, and the one that was saved last.',
        access: 'automations:read',
        answer: data(Automation),
        example: { ...at, answer: exampleAutomation },
      },
      ({ principal, params }) => requireAutomation(db.byKey, principal.tenantId, params.automationId),
    ),
    searchRoute(db, {
      path: '/v3/automations/search',
      operationId: 'searchAutomations',
      tag: one.tag,
      feature: one.feature,
      noun: 'automations',
      access: 'automations:read',
      searchable: automationFields,
      source: automationSource,
      schema: Automation,
      present: presentAutomation,
      example: { query: 'eq(status,"active")', item: exampleAutomation },
    }),
    write(
      {
        ...one,
        method: 'PUT',
        path: '/v3/automations/:automationId',
        operationId: 'updateAutomation',
        summary: 'Save a new version',
        description:
          'Changes what is given. Trigger, variables and steps that are left out are those of the latest version; a definition that says something new becomes a version of its own. Runs start on it only when it is published.',
        access: 'automations:write',
        body: AutomationChange,
        answer: data(Automation),
        example: { ...at, body: exampleDefinition, answer: exampleAutomation },
      },
      ({ principal, params, body }, tx) =>
        changeAutomation(tx, principal.tenantId, params.automationId, body, {
          policy,
          now: clock.now(principal.tenantId),
        }),
    ),
    write(
      {
        ...one,
        method: 'POST',
        path: '/v3/automations/:automationId/publish',
        operationId: 'publishAutomation',
        summary: 'Publish a version',
        description:
          'Makes a version, the latest unless another is named, the one that runs start on, and the automation `active`. Runs that have started stay on theirs.',
        access: 'automations:write',
        body: Publication,
        answer: data(Automation),
        failures: [...one.failures, 'conflict'],
        example: {
          ...at,
          body: { versionId: exampleAutomation.latestVersionId },
          answer: exampleAutomation,
        },
      },
      ({ principal, params, body }, tx) =>
        publishAutomation(tx, principal.tenantId, params.automationId, body, clock.now(principal.tenantId)),
    ),
    write(
      {
        ...one,
        method: 'POST',
        path: '/v3/automations/:automationId/status',
        operationId: 'setAutomationStatus',
        summary: 'Start, stop or archive an automation',
        description:
          '`active` and `inactive` may follow one another, anything may be `archived`, and what is archived becomes `inactive` again. Setting the status it has already is a success.',
        access: 'automations:write',
        body: AutomationStatusChange,
        answer: data(Automation),
        failures: [...one.failures, 'conflict'],
        example: { ...at, body: { status: 'active' }, answer: exampleAutomation },
      },
      ({ principal, params, body }, tx) =>
        setAutomationStatus(
          tx,
          principal.tenantId,
          params.automationId,
          body.status,
          clock.now(principal.tenantId),
        ),
    ),
    write(
      {
        ...one,
        method: 'DELETE',
        path: '/v3/automations/:automationId',
        operationId: 'deleteAutomation',
        summary: 'Delete an automation',
        description: 'Permanent, with its versions and its runs, those that still wait included.',
        access: 'automations:write',
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleAutomation.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.automationId, await removeAutomation(tx, principal.tenantId, params.automationId)),
    ),
    writeStatement(
      {
        ...one,
        method: 'POST',
        path: '/v3/automations/:automationId/trigger',
        operationId: 'triggerAutomation',
        summary: 'Trigger an automation for a contact',
        description:
          "Records a run of the active version, whatever its trigger is; the header `X-Automation-Run-Id` has the run's id. The automation must be `active`.",
        access: 'automations:trigger',
        body: AutomationTrigger,
        answer: fields(Type.Object({})),
        failures: [...one.failures, 'conflict'],
        example: {
          ...at,
          body: { contactId: exampleRun.contactId, variables: exampleRun.variables },
          answer: {},
        },
      },
      async ({ principal, params, body, header }, tx) => {
        header('x-automation-run-id', await trigger(tx, principal.tenantId, params.automationId, body));
        return {};
      },
    ),
    read(
      {
        ...run,
        method: 'GET',
        path: '/v3/automation_runs/:runId',
        operationId: 'getAutomationRun',
        summary: 'Read a run',
        description: 'With its trace: what it did so far, step by step.',
        access: 'automations:read',
        answer: data(AutomationRunWithTrace),
        example: { ...atRun, answer: { ...exampleRun, trace: [] } },
      },
      ({ principal, params }) => requireRun(db.byKey, principal.tenantId, params.runId),
    ),
    searchRoute(db, {
      path: '/v3/automation_runs/search',
      operationId: 'searchAutomationRuns',
      tag: run.tag,
      feature: run.feature,
      noun: 'runs of automations',
      access: 'automations:read',
      searchable: runFields,
      source: runSource,
      schema: AutomationRun,
      present: presentRun,
      example: { query: 'eq(status,"scheduled")', item: exampleRun },
    }),
    write(
      {
        ...run,
        method: 'POST',
        path: '/v3/automation_runs/:runId/cancel',
        operationId: 'cancelAutomationRun',
        summary: 'Cancel a run',
        description: 'It does nothing more. A run that has ended already cannot be cancelled.',
        access: 'automations:write',
        answer: data(AutomationRun),
        failures: [...run.failures, 'conflict'],
        example: { ...atRun, answer: { ...exampleRun, status: 'cancelled', endedAt: exampleRun.updatedAt } },
      },
      ({ principal, params }, tx) =>
        cancelRun(tx, principal.tenantId, params.runId, clock.now(principal.tenantId)),
    ),
    write(
      {
        ...run,
        method: 'POST',
        path: '/v3/automation_runs/:runId/retry',
        operationId: 'retryAutomationRun',
        summary: 'Retry a run from its failed step',
        description:
          'The step at which it failed is tried again, on the version that the run started with, and the run goes on from there. What it did before is not repeated.',
        access: 'automations:write',
        answer: data(AutomationRun),
        failures: [...run.failures, 'conflict'],
        example: {
          ...atRun,
          answer: { ...exampleRun, status: 'running', startedAt: exampleRun.createdAt, step: 'hello' },
        },
      },
      ({ principal, params }, tx) => retryRun(tx, principal.tenantId, params.runId, deps),
    ),
  ];
}
