import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { OperatorError } from '../base/errors.ts';

/** The JSON object in a file; `-` is the standard input. */
export async function readJsonFile(path: string): Promise<Record<string, unknown>> {
  const content = await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')).catch((error) => {
    throw new OperatorError(`The file ${path} cannot be read (${error.code}). Check its name and rights.`);
  });
  try {
    const value: unknown = JSON.parse(content.replace(/^\ufeff/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    throw new OperatorError(`The file ${path} is not JSON: ${(error as Error).message}.`);
  }
  throw new OperatorError(`The file ${path} must have a JSON object.`);
}
