import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { apiDocuments, contracts } from '../../src/app.ts';

/** Checking 1.5 MB takes seconds. */
const TIMEOUT_MS = 300_000;
/** The specification itself has `/v2/{channelId}/broadcasts` beside `/v2/api_webhooks/{webhookId}`. */
const ALLOWED = { v2: { 'no-ambiguous-paths': 'off' as const } };
/** They send the browser on, and answer nothing else. */
const REDIRECTS = new Set(
  ['oidc', 'oidc~1callback'].map((name) => `#/paths/~1v3~1session~1${name}/get/responses`),
);

/** Two tools that others use for their own documents find nothing in ours. */
describe.each(Object.entries(apiDocuments(contracts())))('the OpenAPI document of %s', (version, {
  create,
}) => {
  const document = create();

  it(
    'is clean for Redocly',
    async () => {
      const config = await createConfig({
        extends: ['recommended'],
        rules: ALLOWED[version as keyof typeof ALLOWED] ?? {},
      });
      const problems = await lintFromString({ source: JSON.stringify(document), config });
      const found = problems.filter(
        ({ ruleId, location: [place] }) =>
          ruleId !== 'operation-2xx-response' || !REDIRECTS.has(place?.pointer ?? ''),
      );
      expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is clean for Spectral',
    async () => {
      const spectral = new Spectral();
      spectral.setRuleset({ extends: [rulesets.oas] } as never);
      const problems = await spectral.run(document as never);
      expect(problems.map(({ code, message, path }) => `${code} at ${path.join('.')}: ${message}`)).toEqual(
        [],
      );
    },
    TIMEOUT_MS,
  );
});
