import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects what earlier tests have left, so that a measurement is not interrupted by that. */
export const collectGarbage = runInNewContext('gc') as () => void;
