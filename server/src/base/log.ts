import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/** The logged part of an error: never the values of a statement or a request. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

const SECRET_KEYS = [
  'authorization',
  'token',
  'secret',
  'password',
  'config',
  'accessToken',
  'connectionString',
];

/** JSON in production, text otherwise. Values of keys that could contain a secret are not logged. */
export function createLog(options: {
  level: string;
  json: boolean;
  destination?: pino.DestinationStream;
}): Logger {
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
  };
  if (options.destination) return pino(settings, options.destination);
  if (options.json) return pino(settings);
  return pino(settings, pretty({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true }));
}
