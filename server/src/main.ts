import { parseArgs } from 'node:util';
import { type Config, readConfig } from './base/config.ts';
import { OperatorError } from './base/errors.ts';
import { createLog } from './base/log.ts';
import { keepSecrets } from './base/secrets.ts';
import { prepareFolder } from './data-folder.ts';
import { requireFreePort } from './ports.ts';
import type { Environment } from './serve.ts';
import { openStorage } from './storage.ts';
import type { Role } from './system-options.ts';
import { version } from './version.ts';

const flags = {
  role: { type: 'string', default: 'all' },
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  'after-restore': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Nearly the whole program. It is loaded while PostgreSQL starts, which takes as long: a start is 0.3 s shorter. */
const loadProgram = () => import('./serve.ts');

/** Runs the program. A problem that the operator can fix is printed as one sentence, with exit code 1. */
export async function main(argv: string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run(argv, env);
  } catch (error) {
    console.error(error instanceof OperatorError ? `parley: ${error.message}` : error);
    process.exitCode = 1;
    // Open handles must not keep the process alive.
    setTimeout(() => process.exit(1), 100).unref();
  }
}

async function run(argv: string[], given: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = readArguments(argv);
  if (values.version) return console.log(version);
  const env = {
    ...given,
    ...(values.port === undefined ? {} : { PORT: values.port }),
    ...(values['data-dir'] === undefined ? {} : { PARLEY_DATA_DIR: values['data-dir'] }),
  };
  const role = values.role as Role;
  const command = values.help ? 'help' : (positionals[0] ?? 'start');
  if (command === 'start') return serve(env, role, values['after-restore'] === true);
  const { commands } = await loadProgram();
  process.exitCode = await commands[command as keyof typeof commands](env, role);
}

function readArguments(argv: string[]) {
  try {
    const parsed = parseArgs({ args: argv, options: flags, allowPositionals: true });
    const [command, ...rest] = parsed.positionals;
    if (rest.length > 0 || !['start', 'config', 'doctor', 'help', undefined].includes(command))
      throw new Error(`there is no command "${parsed.positionals.join(' ')}"`);
    if (!['api', 'worker', 'all'].includes(parsed.values.role))
      throw new Error(`--role must be api, worker or all, not "${parsed.values.role}"`);
    return parsed;
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}. Try: parley --help`);
  }
}

/** The configuration. What is wrong with it is said all at once, also about variables that the program reads later. */
async function readBasics(env: Environment): Promise<Config> {
  try {
    return readConfig(env);
  } catch (error) {
    const { readAll } = await loadProgram();
    readAll(env);
    throw error;
  }
}

async function serve(env: Environment, role: Role, isAfterRestore: boolean): Promise<void> {
  const config = await readBasics(env);
  const log = createLog({ level: config.LOG_LEVEL, json: config.isProduction });
  if (config.isProduction && process.getuid?.() === 0)
    log.warn('Parley runs as root. Start it as a user of its own, who owns the data folder');
  if (role !== 'worker') await requireFreePort(config);
  await prepareFolder(config.PARLEY_DATA_DIR, { hasDatabase: config.DATABASE_URL === undefined });
  const { secretKey, adminToken } = await keepSecrets(config.PARLEY_DATA_DIR, {
    secretKey: config.PARLEY_SECRET_KEY,
    adminToken: config.PARLEY_ADMIN_TOKEN,
  });
  const storage = await openStorage(config, log, () => void loadProgram().catch(() => {}));
  try {
    const { serveOn } = await loadProgram();
    await serveOn(storage, { env, role, isAfterRestore, secretKey, operatorToken: adminToken, log });
  } catch (error) {
    await storage.stop().catch(() => {});
    throw error;
  }
}
