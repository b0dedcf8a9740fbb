/** The state of an ordering key that may have due rows. */
export interface KeyState<Row> {
  readonly shard: number;
  readonly orderingKey: string;
  /** Known after the first row was ever read. */
  tenant: TenantState<Row> | undefined;
  /** Its last calls failed, so it is probed. */
  isFailing: boolean;
  readonly waiting: Row[];
  /** Claimed and not finished; the database still shows these rows as due. */
  readonly taken: Set<string>;
  /** Finished during a claim, whose answer may still show them as due. */
  finished: string[];
  running: number;
  /** Calls that are running or not stored yet. */
  open: number;
  /** There may be due rows that were not read yet. */
  hasMore: boolean;
  isClaiming: boolean;
  /** Rows were released during a claim: its answer may lack them, and they come first. */
  isOutdated: boolean;
  /** The number of errors after which it still pauses. */
  resting: number;
}

/** A tenant with ordering keys that may have due rows. */
export interface TenantState<Row> {
  readonly id: string;
  /** Its keys that may start something, in the order of their turns. */
  readonly ready: Set<KeyState<Row>>;
  readonly readyFailing: Set<KeyState<Row>>;
  keys: number;
  failingKeys: number;
  running: number;
}

/** A claim to make: the due rows of an ordering key, in order. */
export interface ClaimStep<Row> {
  kind: 'claim';
  key: KeyState<Row>;
  limit: number;
  /** The rows are not kept. */
  isForTenant: boolean;
}

/** A call of the handler to make. */
export interface CallStep<Row> {
  kind: 'call';
  key: KeyState<Row>;
  rows: Row[];
  tenant: TenantState<Row>;
  /** The key was failing when the call started. */
  isProbe: boolean;
  hasPlace: boolean;
}

/** What the runner does next. */
export type Step<Row> = ClaimStep<Row> | CallStep<Row>;

/** A key that may have due rows, of which none is read yet. */
export const createKeyState = <Row>(
  shard: number,
  orderingKey: string,
  isFailing: boolean,
): KeyState<Row> => ({
  shard,
  orderingKey,
  tenant: undefined,
  isFailing,
  waiting: [],
  taken: new Set(),
  finished: [],
  running: 0,
  open: 0,
  hasMore: true,
  isClaiming: false,
  isOutdated: false,
  resting: 0,
});
