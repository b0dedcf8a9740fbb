import type { ExtraVariables } from '../base/config.ts';
import type { Route } from './route.ts';
import type { RetiringVersion } from './sunset.ts';

/** The values of the configuration variables that versions add. Unset variables are missing. */
export type Settings = Readonly<Record<string, string>>;

/** A version of the API in a running process. */
interface RunningApi {
  readonly routes: readonly Route[];
  /** Present if the version is deprecated. */
  readonly retiring?: RetiringVersion;
  /** Stores the collected counts. Called every few seconds and before the process ends. */
  flush?(): Promise<void>;
}

/** A version of the API. */
export interface Api<Deps> {
  /** The first segment of its paths, such as `v3`. */
  readonly name: string;
  /** The configuration variables that only this version has. */
  readonly variables: ExtraVariables;
  /** Creates its routes. Uses nothing of `deps` until a route is called. */
  create(deps: Deps, settings: Settings): RunningApi;
  /** Where its OpenAPI document is served. */
  readonly documentPath: string;
  /** Creates its OpenAPI document from the routes of all versions. */
  document(routes: readonly Route[]): object;
  /** Text for the operator at the first start, such as until when the version is served. */
  describe?(settings: Settings, now: Date): string;
}
