import { allVariables, type Config, type ExtraVariables } from './base/config.ts';
import type { Channel } from './channels/schema.ts';
import { version } from './version.ts';

const widthOf = (variables: object): number => Math.max(...Object.keys(variables).map((name) => name.length));

export const help = (
  extra: ExtraVariables,
): string => `Parley ${version}: customer conversations over WhatsApp, SMS, email and Instagram.

  parley                 start the server; without DATABASE_URL it runs PostgreSQL in the data folder
  parley doctor          check the installation: one line per check, with what to do
  parley config          show every variable with its value, its source and its meaning
  parley contacts        import contacts from a CSV file, or export them; see parley contacts import --help
  parley chats           export chats; see parley chats export --help
  parley automations     show what a run would do, or why one started; see parley automations dry-run --help
  parley campaigns       show whom a campaign reaches; see parley campaigns preview --help
  parley trace           show what followed from a message, event, run or delivery; see parley trace --help
  parley mcp             serve an assistant over the Model Context Protocol; see parley mcp --help
  parley listen          forward a tenant's events to a program on this machine; see parley listen --help
  parley trigger         create an event in the sandbox; see parley trigger --help
  parley login-link      make a link to log in with a browser; see parley login-link --help
  parley token           create an access token; see parley token --help
  parley release         release the work that is held after a restore; see parley release --help
  parley --help          show this text
  parley --version       show the version

Options of the server
  --role all|api|worker  do everything (default), only answer requests, or only process queues; several
                         processes share one DATABASE_URL
  --after-restore        for the first start on a restored backup: what was due is held until you release it
  --port PORT            overrides the variable PORT
  --data-dir DIR         overrides the variable PARLEY_DATA_DIR

Variables, all optional
${Object.entries(allVariables(extra))
  .map(([name, { description }]) => `  ${name.padEnd(widthOf(allVariables(extra)))}  ${description}`)
  .join('\n')}`;

/** Every variable with its value. For secrets only whether they are set. */
export function configTable(config: Config, env: NodeJS.ProcessEnv, extra: ExtraVariables): string {
  const variables = allVariables(extra);
  const width = widthOf(variables);
  const values: Record<string, unknown> = { ...config, ...config.extra };
  const shown = (name: string, isSecret: boolean): string => {
    const value = values[name];
    if (isSecret) return value === undefined ? '(not set)' : '(set)';
    return Array.isArray(value) ? value.join(', ') || '(not set)' : String(value ?? '') || '(not set)';
  };
  return Object.entries(variables)
    .map(([name, { description, secret = false }]) => {
      const source = env[name] ? 'environment' : 'default';
      return `${name.padEnd(width)}  ${shown(name, secret)}  [${source}]\n${''.padEnd(width)}  ${description}`;
    })
    .join('\n');
}

interface FirstStart {
  baseUrl: string;
  /** The link by which the first person logs in. */
  consoleUrl: string;
  dataDir: string;
  database: boolean;
  /** Notes about versions of the API. */
  apis: readonly { name: string; text: string }[];
  token: string;
  channel: Channel;
}

/** The text that the first start prints. */
export const banner = ({
  baseUrl,
  consoleUrl,
  dataDir,
  database,
  apis,
  token,
  channel,
}: FirstStart): string => `
Parley ${version} is ready. This text is shown only once. Open the console; the link works once, for a day.

  Console      ${consoleUrl}
  API          ${baseUrl}
  Reference    ${baseUrl}/docs
  Guides       ${baseUrl}/docs/guides
  Data folder  ${dataDir}${database ? ' (with an embedded PostgreSQL)' : ''}
${apis.map(({ name, text }) => `  API ${name}       ${text}\n`).join('')}
  Access token of the tenant "demo":

TOKEN=${token}

  Try it: show who you are, create a webhook, write a message as a customer.

curl ${baseUrl}/v3/me -H "Authorization: Bearer $TOKEN"
curl ${baseUrl}/v3/api_webhooks -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"url":"http://localhost:4000/hook","events":[{"type":"message.received"}]}'
curl ${baseUrl}/v3/sandbox/${channel.id}/inbound -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"from":"+15550001111","name":"Ada Lovelace","text":"Hello!"}'
`;

/** What a start prints while nobody can log in, if there is no demo tenant. */
export const firstLoginText = (consoleUrl: string): string => `
Nobody can log in yet. Open this link to become the operator; it works once, for a day.

  Console      ${consoleUrl}
`;
