import { Type } from 'typebox';
import { data } from '../http/answer.ts';
import { readerOf } from '../http/permissions.ts';
import { type Route, read, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { presentVersion } from './automation.ts';
import { Check, CheckBody, checkAutomation } from './check-automation.ts';
import { createDryRunner, type DryRunDeps } from './dry-run/dry-run.ts';
import { DryRun, DryRunBody, exampleDryRun } from './dry-run/schema.ts';
import { exampleAutomation, exampleDefinition, exampleRun } from './example.ts';
import { countFunnel, exampleFunnel, Funnel, FunnelBody } from './runs/funnel.ts';
import { AutomationVersion } from './schema.ts';
import { explainStarts } from './triggers/explain.ts';
import { ExplainBody, Explanation, exampleExplanation } from './triggers/explanation.ts';
import { requireVersion, versionFields, versionSource } from './versions.ts';

const AutomationId = Type.Object({ automationId: Type.String() });
const automations = routeFamily({
  tag: 'Automations',
  feature: 'automations',
  params: AutomationId,
  exampleParams: { automationId: exampleAutomation.id },
});

/** Operations that show what automations do, did and would do, and change nothing. */
export function explainRoutes(deps: DryRunDeps): Route[] {
  const dryRun = createDryRunner(deps);
  return [
    automations.read(
      {
        method: 'POST',
        path: '/v3/automations/check',
        operationId: 'checkAutomation',
        summary: 'Check a definition',
        description:
          'Finds everything for which saving and publishing a definition would be refused, each with its path, and what is allowed but probably not meant: steps that nothing leads to, loops without a wait, unknown names in texts, variables without a value, messages without a channel. Nothing is stored.',
        access: 'automations:read',
        body: CheckBody,
        answer: data(Check),
        failures: [],
        example: {
          body: exampleDefinition,
          answer: {
            issues: [
              {
                path: 'steps.0',
                code: 'loop_without_wait',
                message:
                  'The steps "hello", "choose" can repeat without a wait; a run fails after 1000 steps',
                severity: 'warning',
              },
            ],
          },
        },
      },
      ({ principal, body }, db) => checkAutomation(db, body, { ...deps, canRead: readerOf(principal) }),
    ),
    automations.read(
      {
        method: 'POST',
        path: '/v3/automations/:automationId/dry_run',
        operationId: 'dryRunAutomation',
        summary: 'Show what a run would do',
        description:
          'Executes a run for a contact without any effect: nothing is stored, sent, called or published. The answer is its trace with the rendered texts, the branches with the values that they compared, the times at which waits end, the messages with their channels or the reason why they would be refused, and what would change. Time passes as fast as the run needs it. Also needs `contacts:read`, `chats:read` and `messages:read`.',
        access: 'automations:read',
        body: DryRunBody,
        answer: data(DryRun),
        failures: ['automation_not_found', 'chat_not_found', 'conflict', 'service_unavailable'],
        example: {
          body: {
            contactId: exampleRun.contactId,
            variables: exampleRun.variables,
            replies: [{ text: 'Good' }],
          },
          answer: exampleDryRun,
        },
      },
      ({ principal, params, body }, db) => dryRun(db, params.automationId, body, principal),
    ),
    automations.read(
      {
        method: 'POST',
        path: '/v3/automations/explain',
        operationId: 'explainAutomations',
        summary: 'Explain why automations started or did not',
        description:
          'Says for every automation whether an event, or the message of a contact, started it, and if not, why; and whether the message continued a run that waited for a reply. A message starts automations by itself, by opening its chat and by creating its contact. It is decided as it was when the event happened: by the version and the status that were in force. In the order of their creation, at most 1000 automations.',
        access: 'automations:read',
        body: ExplainBody,
        answer: data(Type.Array(Explanation)),
        failures: ['event_not_found', 'message_not_found', 'conflict'],
        example: { body: { eventId: exampleExplanation.eventId }, answer: [exampleExplanation] },
      },
      ({ principal, body }, db) => explainStarts(db, body, principal),
    ),
    searchRoute({
      path: '/v3/automations/:automationId/versions/search',
      operationId: 'searchAutomationVersions',
      tag: 'Automations',
      feature: 'automations',
      noun: 'versions of an automation',
      access: 'automations:read',
      params: AutomationId,
      searchable: versionFields,
      source: (db, { automationId }) => versionSource(db, automationId as string),
      schema: AutomationVersion,
      present: presentVersion,
      failures: ['automation_not_found'],
      example: {
        params: { automationId: exampleAutomation.id },
        query: 'gt(number,1)',
        item: exampleAutomation.latestVersion,
      },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/automations/:automationId/versions/:versionId',
        operationId: 'getAutomationVersion',
        tag: 'Automations',
        feature: 'automations',
        summary: 'Get a version of an automation',
        description:
          'Returns one version. A version never changes, and the keys of all versions have the same order, so that two of them can be compared line by line.',
        access: 'automations:read',
        params: Type.Object({ automationId: Type.String(), versionId: Type.String() }),
        answer: data(AutomationVersion),
        failures: ['automation_not_found', 'automation_version_not_found'],
        example: {
          params: { automationId: exampleAutomation.id, versionId: exampleAutomation.latestVersionId },
          answer: exampleAutomation.latestVersion,
        },
      },
      ({ params }, db) => requireVersion(db.byKey, params.automationId, params.versionId),
    ),
    automations.read(
      {
        method: 'POST',
        path: '/v3/automations/:automationId/funnel',
        operationId: 'getAutomationFunnel',
        summary: 'Count how far runs have come',
        description:
          'Counts for every step how many runs came to it, went on, wait in it, failed in it and ended with it. Of all versions, or of one; of runs that were created in a period.',
        access: 'automations:read',
        body: FunnelBody,
        answer: data(Funnel),
        failures: ['automation_not_found', 'search_too_slow'],
        example: { body: { from: exampleFunnel.from as string }, answer: exampleFunnel },
      },
      ({ principal, params, body }, db) => countFunnel(db, params.automationId, body, principal),
    ),
  ];
}
