import { createServer } from 'node:net';
import type { Config } from './base/config.ts';
import { OperatorError } from './base/errors.ts';

/** Called before the database starts, so that a second start on the same machine fails fast. */
export function requireFreePort(config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(portError(error, config)));
    probe.listen({ host: config.HOST, port: config.PORT }, () => probe.close(() => resolve()));
  });
}

/** Says what to do about a port that cannot be used. */
export function portError(
  error: unknown,
  config: Pick<Config, 'HOST' | 'PORT'> & { variable?: string },
): unknown {
  const how = config.variable ?? '--port or PORT';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new OperatorError(
      `Port ${config.PORT} on ${config.HOST} is in use. Stop the program that uses it, or choose another with ${how}.`,
    );
  if (code === 'EACCES')
    return new OperatorError(
      `Port ${config.PORT} cannot be used by this user. Choose one above 1023 with ${how}.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new OperatorError(
      `This machine has no address "${config.HOST}". Set HOST to an address of this machine, or to 0.0.0.0.`,
    );
  return error;
}
