import type { CallStep, KeyState, TenantState } from './key-state.ts';
import type { KeyTenants } from './key-tenants.ts';
import type { Queue, QueueRow } from './queue.ts';

/** How many calls may be running or not stored yet for each that may be running. */
const OPEN_PER_PLACE = 8;
/** Failing ordering keys together use at most this part of the places. */
const FAILING_PART = 8;
/**
 * In a queue that waits for others, a tenant without a call may start one even if all places are taken, because nobody
 * knows when one is free: so many tenants at the same time.
 */
const EXTRA_PLACES = 256;

export type PlacesQueue = Pick<
  Queue<QueueRow>,
  'callsPerKey' | 'callsPerFailingKey' | 'callsPerProcess' | 'waitsOutside'
>;

/** The calls of a queue that this process may have at the same time. */
export interface CallPlaces<Row> {
  /** How many calls of a key may run. */
  limitOf(key: KeyState<Row>): number;
  /** How many calls of a key may run or be stored. */
  readonly maxOpenPerKey: number;
  hasPlace(key: KeyState<Row>): boolean;
  isFull(): boolean;
  /** How many calls a tenant may have at the same time. */
  share(): number;
  /** Whether a tenant may start a call of a key that is not failing. */
  mayStart(tenant: TenantState<Row>): boolean;
  mayProbe(tenant: TenantState<Row>): boolean;
  /** A call of a key whose tenant is known. */
  take(key: KeyState<Row>, rows: Row[]): CallStep<Row>;
  /** Frees the place of a call, once. */
  free(step: CallStep<Row>): void;
  /** Its rows are stored, or will be retried. */
  release(step: CallStep<Row>): void;
}

export function callPlaces<Row>(
  { callsPerKey, callsPerFailingKey = 1, callsPerProcess, waitsOutside }: PlacesQueue,
  tenants: Pick<KeyTenants<Row>, 'sharing'>,
): CallPlaces<Row> {
  const failingPlaces = Math.max(1, Math.floor(callsPerProcess / FAILING_PART));
  const maxOpenPerKey = callsPerKey * OPEN_PER_PLACE;
  let running = 0;
  let runningProbes = 0;
  let open = 0;

  const limitOf = (key: KeyState<Row>): number =>
    key.isFailing ? Math.min(callsPerKey, callsPerFailingKey) : callsPerKey;
  const share = (): number =>
    Math.max(1, Math.floor(callsPerProcess / (tenants.sharing + (waitsOutside ? 1 : 0))));

  function free(step: CallStep<Row>): void {
    if (!step.hasPlace) return;
    step.hasPlace = false;
    running -= 1;
    if (step.isProbe) runningProbes -= 1;
    step.key.running -= 1;
    step.tenant.running -= 1;
  }

  return {
    limitOf,
    maxOpenPerKey,
    hasPlace: (key) => key.running < limitOf(key) && key.open < maxOpenPerKey,
    isFull: () =>
      open >= callsPerProcess * OPEN_PER_PLACE ||
      running >= callsPerProcess + (waitsOutside ? EXTRA_PLACES : 0),
    share,
    mayStart: (tenant) => tenant.running < (running < callsPerProcess ? share() : 1),
    mayProbe: (tenant) =>
      running < callsPerProcess && runningProbes < failingPlaces && tenant.running < share(),
    take(key, rows) {
      const tenant = key.tenant as TenantState<Row>;
      tenant.running += 1;
      running += 1;
      if (key.isFailing) runningProbes += 1;
      open += 1;
      key.running += 1;
      key.open += 1;
      return { kind: 'call', key, rows, tenant, isProbe: key.isFailing, hasPlace: true };
    },
    free,
    release(step) {
      open -= 1;
      step.key.open -= 1;
      free(step);
    },
  };
}
