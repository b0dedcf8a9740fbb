import { Type } from 'typebox';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, fields } from '../http/answer.ts';
import { readerOf } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import {
  automationFields,
  automationSource,
  createAutomation,
  presentFound,
  removeAutomation,
  requireAutomation,
} from './automation.ts';
import { changeAutomation, publishAutomation, setAutomationStatus } from './change-automation.ts';
import { exampleAutomation, exampleDefinition, exampleRun } from './example.ts';
import { readAutomationPage } from './page.ts';
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
import { createTriggerState, triggerAutomation } from './triggers/api.ts';

const automations = routeFamily({
  tag: 'Automations',
  feature: 'automations',
  params: Type.Object({ automationId: Type.String() }),
  exampleParams: { automationId: exampleAutomation.id },
});
const runs = routeFamily({
  tag: 'Automation runs',
  feature: 'automations',
  params: Type.Object({ runId: Type.String() }),
  exampleParams: { runId: exampleRun.id },
});

export function automationRoutes(deps: { policy: OutboundPolicy; db: Database }): Route[] {
  const triggerState = createTriggerState(deps.db);
  return [
    automations.write(
      {
        method: 'POST',
        path: '/v3/automations',
        operationId: 'createAutomation',
        summary: 'Create an automation',
        description:
          'Creates a draft with its first version. No run starts before it is published. The error for an invalid definition lists every issue with its path, such as `steps.2.parameters.cases.0.next`. What the definition uses, the token must be able to read: contacts and attributes need `contacts:read`, chats `chats:read`, messages `messages:read`.',
        access: 'automations:write',
        body: NewAutomation,
        answer: data(Automation),
        failures: [],
        example: { body: exampleDefinition, answer: exampleAutomation },
      },
      ({ principal, body }, tx) => createAutomation(tx, body, { ...deps, canRead: readerOf(principal) }),
    ),
    automations.read(
      {
        method: 'GET',
        path: '/v3/automations/:automationId',
        operationId: 'getAutomation',
        summary: 'Get an automation',
        description: 'Returns the automation with its active and its latest version.',
        access: 'automations:read',
        answer: data(Automation),
        failures: ['automation_not_found'],
        example: { answer: exampleAutomation },
      },
      ({ params }, db) => requireAutomation(db.byKey, params.automationId),
    ),
    searchRoute({
      path: '/v3/automations/search',
      operationId: 'searchAutomations',
      tag: 'Automations',
      feature: 'automations',
      noun: 'automations',
      access: 'automations:read',
      searchable: automationFields,
      source: automationSource,
      readPlainPage: (db, _params, request) => readAutomationPage(db, request),
      schema: Automation,
      presentPage: presentFound,
      example: { query: 'eq(status,"active")', item: exampleAutomation },
    }),
    automations.write(
      {
        method: 'PUT',
        path: '/v3/automations/:automationId',
        operationId: 'updateAutomation',
        summary: 'Save a new version',
        description:
          'Updates the given fields. Trigger, variables and steps that you leave out are those of the latest version. A definition that differs from the latest version becomes a new version. Runs use it after it is published. With `baseVersionId` nothing is saved if somebody else has saved since.',
        access: 'automations:write',
        body: AutomationChange,
        answer: data(Automation),
        failures: ['automation_not_found', 'conflict'],
        example: { body: exampleDefinition, answer: exampleAutomation },
      },
      ({ principal, params, body }, tx) =>
        changeAutomation(tx, params.automationId, body, { ...deps, canRead: readerOf(principal) }),
    ),
    automations.write(
      {
        method: 'POST',
        path: '/v3/automations/:automationId/publish',
        operationId: 'publishAutomation',
        summary: 'Publish a version',
        description:
          'New runs use the published version: the given one, or the latest. The automation becomes `active`. Runs that have started keep their version.',
        access: 'automations:write',
        body: Publication,
        answer: data(Automation),
        failures: ['automation_not_found', 'conflict', 'limit_reached'],
        example: {
          body: { versionId: exampleAutomation.latestVersionId },
          answer: exampleAutomation,
        },
      },
      ({ params, body }, tx) => publishAutomation(tx, params.automationId, body, deps),
    ),
    automations.write(
      {
        method: 'POST',
        path: '/v3/automations/:automationId/status',
        operationId: 'setAutomationStatus',
        summary: 'Start, stop or archive an automation',
        description:
          'An automation can change between `active` and `inactive`, can be `archived` from every status, and can become `inactive` again after that. Setting the status that it already has is not an error.',
        access: 'automations:write',
        body: AutomationStatusChange,
        query: Force,
        answer: data(Automation),
        failures: ['automation_not_found', 'conflict', 'limit_reached'],
        example: { body: { status: 'active' }, answer: exampleAutomation },
      },
      async ({ params, query, body }, tx) => {
        if (body.status !== 'active') await requireUnused(tx, 'automation', params.automationId, query);
        return setAutomationStatus(tx, params.automationId, body.status, deps);
      },
    ),
    automations.write(
      {
        method: 'DELETE',
        path: '/v3/automations/:automationId',
        operationId: 'deleteAutomation',
        summary: 'Delete an automation',
        description:
          'Deletes the automation permanently, with its versions and all of its runs, including those that wait.',
        access: 'automations:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleAutomation.id], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'automation', params.automationId, query);
        return deleted(params.automationId, await removeAutomation(tx, params.automationId));
      },
    ),
    automations.writeStatement(
      {
        method: 'POST',
        path: '/v3/automations/:automationId/trigger',
        operationId: 'triggerAutomation',
        summary: 'Trigger an automation for a contact',
        description:
          "Starts a run of the active version, whatever its trigger is. The header `X-Automation-Run-Id` contains the run's id. The automation must be `active`.",
        access: 'automations:trigger',
        body: AutomationTrigger,
        answer: fields(Type.Object({})),
        failures: ['automation_not_found', 'conflict', 'limit_reached'],
        example: {
          body: { contactId: exampleRun.contactId, variables: exampleRun.variables },
          answer: {},
        },
      },
      async ({ params, body, header }, tx) => {
        header('x-automation-run-id', await triggerAutomation(tx, params.automationId, body, triggerState));
        return {};
      },
    ),
    runs.read(
      {
        method: 'GET',
        path: '/v3/automation_runs/:runId',
        operationId: 'getAutomationRun',
        summary: 'Get a run',
        description: 'Returns the run with its trace: the steps that it has executed so far.',
        access: 'automations:read',
        answer: data(AutomationRunWithTrace),
        failures: ['automation_run_not_found'],
        example: { answer: { ...exampleRun, trace: [] } },
      },
      ({ params }, db) => requireRun(db.byKey, params.runId),
    ),
    searchRoute({
      path: '/v3/automation_runs/search',
      operationId: 'searchAutomationRuns',
      tag: 'Automation runs',
      feature: 'automations',
      noun: 'runs of automations',
      access: 'automations:read',
      searchable: runFields,
      source: runSource,
      schema: AutomationRun,
      present: presentRun,
      example: { query: 'eq(status,"scheduled")', item: exampleRun },
    }),
    runs.write(
      {
        method: 'POST',
        path: '/v3/automation_runs/:runId/cancel',
        operationId: 'cancelAutomationRun',
        summary: 'Cancel a run',
        description: 'Stops the run. A run that has ended cannot be cancelled.',
        access: 'automations:write',
        answer: data(AutomationRun),
        failures: ['automation_run_not_found', 'conflict'],
        example: { answer: { ...exampleRun, status: 'cancelled', endedAt: exampleRun.updatedAt } },
      },
      ({ params }, tx) => cancelRun(tx, params.runId),
    ),
    runs.write(
      {
        method: 'POST',
        path: '/v3/automation_runs/:runId/retry',
        operationId: 'retryAutomationRun',
        summary: 'Retry a run from its failed step',
        description:
          'Repeats the step that failed and continues from there, with the version that the run started with. Earlier steps are not repeated.',
        access: 'automations:write',
        answer: data(AutomationRun),
        failures: ['automation_run_not_found', 'conflict'],
        example: {
          answer: { ...exampleRun, status: 'running', startedAt: exampleRun.createdAt, step: 'hello' },
        },
      },
      ({ params }, tx) => retryRun(tx, params.runId),
    ),
  ];
}
