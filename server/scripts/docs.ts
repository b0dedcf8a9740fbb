import { resolve } from 'node:path';
import { type VariableName, variables } from '../src/base/config.ts';
import { errorCatalogue } from '../src/base/errors.ts';
import { plans } from '../src/http/permissions.ts';
import { eventsPage } from './events-page.ts';
import { writeOrCheck } from './generated.ts';

const names = Object.keys(variables) as VariableName[];
const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

const envExample = `# Every variable is optional. Copy what you need to your environment; Parley reads no .env file by itself.
${names
  .filter((name) => name !== 'NODE_ENV')
  .map((name) => `\n# ${variables[name].description}\n#${name}=${variables[name].default}`)
  .join('\n')}
`;

const configuration = `# Configuration

Made from the code by \`npm run docs\`; \`parley config\` shows the values in force. No variable is required.

| Variable | Default | What it is for |
|---|---|---|
${names.map((name) => `| \`${name}\` | ${cell(code(variables[name].default))} | ${cell(variables[name].description)} |`).join('\n')}
`;

const errors = `# Errors and limits

Made from the code by \`npm run docs\`. Every failure has the same body, and every message begins with the words below:

\`\`\`json
{ "success": false, "error": { "messageKey": "chat_not_found", "message": "Chat not found", "requestId": "req_…" } }
\`\`\`

| messageKey | HTTP | Message |
|---|---|---|
${Object.entries(errorCatalogue)
  .map(([key, { status, message }]) => `| \`${key}\` | ${status} | ${cell(message)} |`)
  .join('\n')}

\`invalid_body_params\` carries \`invalidParams\`: every wrong parameter by its dotted path (\`events.0.scopes.1.ids.0\`),
each with a \`key\` (\`invalid_type\`, \`invalid_string\`, \`invalid_enum_value\`, \`too_small\`, \`too_big\`, \`invalid_date\`,
\`unrecognized_keys\`, \`invalid_union\`, \`custom\`) and a \`message\` that names the rule and what arrived; at most 100.

## Requests a minute

The limit is per tenant and clock minute, over all tokens and processes together.

| Plan | Requests a minute | Includes |
|---|---|---|
${Object.entries(plans)
  .map(
    ([plan, { requestsPerMinute, features }]) =>
      `| \`${plan}\` | ${requestsPerMinute} | ${features.join(', ')} |`,
  )
  .join('\n')}

Every authenticated answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds at
which the minute ends); a refused one also \`Retry-After\`, in seconds.
`;

await writeOrCheck(
  {
    [resolve('../.env.example')]: envExample,
    [resolve('../docs/configuration.md')]: configuration,
    [resolve('../docs/errors.md')]: errors,
    [resolve('../docs/events.md')]: eventsPage,
  },
  'npm run docs',
);
