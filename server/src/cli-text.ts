import { type Config, type VariableName, variables } from './base/config.ts';
import type { Channel } from './channels/schema.ts';
import { version } from './version.ts';

const names = Object.keys(variables) as VariableName[];
const width = Math.max(...names.map((name) => name.length));

export const help =
  (): string => `Parley ${version}: customer conversations over WhatsApp, SMS, email and Instagram.

  parley                 serve; with no database of your own it runs PostgreSQL in the data folder
  parley config          show every variable, where its value comes from, and what it is for
  parley listen          send a tenant's events to a program on this machine; see parley listen --help
  parley trigger         make something happen in the sandbox; see parley trigger --help
  parley --help          this text
  parley --version

Options of serve
  --role all|api|worker  do everything (default), only answer requests, or only work; several processes
                         share one DATABASE_URL
  --port PORT            instead of the variable PORT
  --data-dir DIR         instead of the variable PARLEY_DATA_DIR

Variables, all optional
${names.map((name) => `  ${name.padEnd(width)}  ${variables[name].description}`).join('\n')}`;

/** Every variable with its value; of secrets only whether they are set. */
export function configTable(config: Config, env: NodeJS.ProcessEnv): string {
  const shown = (name: VariableName): string => {
    if ('secret' in variables[name]) return config[name] === undefined ? '(not set)' : '(set)';
    const value = config[name];
    return Array.isArray(value) ? value.join(', ') || '(not set)' : String(value ?? '') || '(not set)';
  };
  return names
    .map((name) => {
      const source = env[name] ? 'environment' : 'default';
      return `${name.padEnd(width)}  ${shown(name)}  [${source}]\n${''.padEnd(width)}  ${variables[name].description}`;
    })
    .join('\n');
}

interface FirstStart {
  baseUrl: string;
  dataDir: string;
  database: boolean;
  /** What has become of version 2. */
  v2: string;
  token: string;
  channel: Channel;
}

/** What the first start says, once: everything one needs to try it. */
export const banner = ({ baseUrl, dataDir, database, v2, token, channel }: FirstStart): string => `
Parley ${version} is ready. This is shown only once; the token cannot be read again.

  API          ${baseUrl}
  Reference    ${baseUrl}/docs
  Data folder  ${dataDir}${database ? ' (with its own PostgreSQL)' : ''}
  API v2       ${v2}

  Access token of the tenant "demo":

TOKEN=${token}

  Try it: who am I, subscribe to messages, write as a customer.

curl ${baseUrl}/v3/me -H "Authorization: Bearer $TOKEN"
curl ${baseUrl}/v3/api_webhooks -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"url":"http://localhost:4000/hook","events":[{"type":"message.received"}]}'
curl ${baseUrl}/v3/sandbox/${channel.id}/inbound -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"from":"+15550001111","name":"Ada Lovelace","text":"Hello!"}'
`;
