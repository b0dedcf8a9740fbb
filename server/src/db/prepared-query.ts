import pg from 'pg';

/** What a statement returns, as `pg` keeps it with a result. */
interface Columns {
  fields: unknown[];
  _parsers: unknown[] | undefined;
  _prebuiltEmptyResultObject: object | null;
}

/** The parts of a connection and of a query of `pg` that are used here. */
interface Connection {
  describe(portal: object): void;
}
type Callback = (error: Error | null | undefined, result: pg.QueryResult) => void;
interface Query extends pg.Submittable {
  name: string;
  values: unknown[] | undefined;
  callback: Callback;
  _result: Columns;
  _accumulateRows: boolean;
  prepare(connection: Connection): void;
  handleRowDescription(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}
const Query = pg.Query as unknown as new (text: string) => Query;

interface PreparedConfig {
  name: string;
  text: string;
  values: unknown[];
}

/** What is known of a connection. */
interface Known {
  columns: Map<string, Columns>;
  /** The same connection, which does not ask for the columns. */
  silent: Connection;
}
const connections = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  let known = connections.get(connection);
  if (!known) {
    known = { columns: new Map(), silent: Object.create(connection, { describe: { value: () => {} } }) };
    connections.set(connection, known);
  }
  return known;
}

const copyOf = ({ fields, _parsers, _prebuiltEmptyResultObject }: Columns): Columns => ({
  fields,
  _parsers,
  _prebuiltEmptyResultObject,
});

/**
 * A named statement that asks for its columns only when it is first sent over a connection. They cannot change after that:
 * PostgreSQL refuses a prepared statement whose columns have changed. A message that is sent takes 5 % less CPU time.
 */
class PreparedQuery extends Query {
  private found: Map<string, Columns> | undefined;

  constructor({ name, text, values }: PreparedConfig, callback: Callback) {
    // Of an object it would make a slow copy.
    super(text);
    this.name = name;
    this.values = values;
    this.callback = callback;
  }

  override prepare(connection: Connection): void {
    const { columns, silent } = knownOf(connection);
    const own = columns.get(this.name);
    if (own) {
      this._result.fields = own.fields;
      this._result._parsers = own._parsers;
      this._result._prebuiltEmptyResultObject = own._prebuiltEmptyResultObject;
      this._accumulateRows = true;
      super.prepare(silent);
    } else {
      this.found = columns;
      super.prepare(connection);
    }
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    this.found?.set(this.name, copyOf(this._result));
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    super.handleCommandComplete(message, connection);
    if (this._result.fields.length === 0) this.found?.set(this.name, copyOf(this._result));
  }
}

/** Runs a statement on a connection: one with a name is prepared. */
export const runOn = (client: pg.ClientBase, query: string | pg.QueryConfig): Promise<pg.QueryResult> => {
  if (typeof query === 'string') return client.query(query);
  const { name, text, values = [] } = query;
  if (name === undefined) return client.query(query);
  return new Promise<pg.QueryResult>((resolve, reject) => {
    client.query(
      new PreparedQuery({ name, text, values }, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      }),
    );
  }).catch((error) => {
    // Instead of the stack that leads to the socket, one that leads to the caller.
    Error.captureStackTrace(error);
    throw error;
  });
};
