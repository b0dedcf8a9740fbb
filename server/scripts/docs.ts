import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { apiVariables } from '../src/app.ts';
import { allVariables } from '../src/base/config.ts';
import { errorCatalogue } from '../src/base/errors.ts';
import { commonErrors } from '../src/http/openapi-errors.ts';
import { eventsPage } from './events-page.ts';
import { writeOrCheck } from './generated.ts';
import { limitsPage } from './limits-page.ts';
import { queuesTable } from './queues-table.ts';

const variables = Object.entries(allVariables(apiVariables));
const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

const envExample = `# Every variable is optional. Set the ones you need in the environment; Parley does not read .env files.
${variables
  .filter(([name]) => name !== 'NODE_ENV')
  .map(([name, variable]) => `\n# ${variable.description}\n#${name}=${variable.default}`)
  .join('\n')}
`;

const configuration = `# Configuration

Generated from the code by \`npm run docs\`. Parley reads environment variables. All are optional. \`npm start -- config\` shows the
values in use. If variables are invalid, the server does not start and names all of them.

| Variable | Default | Meaning |
|---|---|---|
${variables.map(([name, variable]) => `| \`${name}\` | ${cell(code(variable.default))} | ${cell(variable.description)} |`).join('\n')}
`;

const errors = `# Errors

Generated from the code by \`npm run docs\`. Every error response has the same body. Every message begins with the text below:

\`\`\`json
{ "success": false, "error": { "messageKey": "chat_not_found", "message": "Chat not found", "requestId": "req_…" } }
\`\`\`

| messageKey | HTTP | Message |
|---|---|---|
${Object.entries(errorCatalogue)
  .map(([key, { status, message }]) => `| \`${key}\` | ${status} | ${cell(message)} |`)
  .join('\n')}

The reference lists the first ${commonErrors.length} errors for every operation, because the specification does: "Every v3 operation lists
these seven errors." Not every operation can return each of them. \`GET /v3/me\`, for example, never returns 402 or
\`contact_not_found\`.

## Invalid parameters

\`invalid_body_params\` has \`invalidParams\`: every wrong parameter by its dotted path (\`events.0.scopes.1.ids.0\`), at most 100. Each has
a \`message\` that says what the rule is and what arrived, and a \`key\`:

\`invalid_type\` (also a missing required field), \`invalid_string\`, \`invalid_enum_value\`, \`too_small\`, \`too_big\`, \`invalid_date\`,
\`unrecognized_keys\`, \`invalid_union\`, \`custom\` (an unknown reference, a duplicate, a time in the past and others).

A key that the operation does not know is an error, too, with the most similar key that it knows. Fields that only the server sets, such as
\`id\` and \`createdAt\`, are ignored, so that what was read can be changed and sent back. Null in an optional field is like leaving it out,
unless the reference says that it clears a value. Whole numbers beyond ±9007199254740991 are refused instead of rounded; send them as
texts.

## What to do

| HTTP | Do |
|---|---|
| 400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 416, 422 | correct the request; repeating it gives the same error |
| 429 | wait \`Retry-After\` seconds; see [limits](limits.md#requests-per-minute) |
| 500 | report it with the \`requestId\`, which is also in the server's log |
| 503 | wait \`Retry-After\` seconds and repeat the request; with an \`Idempotency-Key\` nothing happens twice |
`;

const architecturePath = resolve('../docs/develop/architecture.md');
/** The rest of the page is written by hand. */
const architecture = (await readFile(architecturePath, 'utf8')).replace(
  /(<!-- queues:.*-->\n)[\s\S]*(\n<!-- \/queues -->)/,
  (_, start, end) => `${start}${queuesTable}${end}`,
);

await writeOrCheck(
  {
    [resolve('../.env.example')]: envExample,
    [resolve('../docs/operate/configuration.md')]: configuration,
    [resolve('../docs/use/errors.md')]: errors,
    [resolve('../docs/use/events.md')]: eventsPage,
    [resolve('../docs/use/limits.md')]: limitsPage,
    [architecturePath]: architecture,
  },
  'npm run docs',
);
