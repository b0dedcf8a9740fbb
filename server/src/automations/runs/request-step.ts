import type { Saved } from './context.ts';
import type { ProgramStep } from './program.ts';
import { renderAddress, renderAll } from './render-texts.ts';
import type { AnsweredCall, Outcome, Running } from './state.ts';
import { StepError, type StepGenerator } from './step-outcome.ts';

interface RequestParameters {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
  saveAs?: string | null;
  signWith?: string;
}

/** All saved answers of a run. They are stored with it and read again in each step batch. */
const MAX_SAVED_CHARACTERS = 2_000_000;

function save(before: Readonly<Record<string, Saved>>, name: string, answer: Saved): Record<string, Saved> {
  const saved = { ...before, [name]: answer };
  const size = JSON.stringify(saved).length;
  if (size > MAX_SAVED_CHARACTERS)
    throw new StepError(
      'answer_too_large',
      `The saved answers of a run may have ${MAX_SAVED_CHARACTERS} characters of JSON, these have ${size}`,
    );
  return saved;
}

/** The end of a step whose call was answered. */
function endWithAnswer(
  running: Running,
  { method, saveAs = null }: RequestParameters,
  answered: AnsweredCall,
): Outcome {
  // Without headers and body, as they may contain credentials.
  const detail = { method, url: answered.url };
  if (answered.failure) return { kind: 'failed_step', failure: answered.failure, detail };
  const { saved } = answered;
  if (saveAs !== null) running.state.saved = save(running.state.saved, saveAs, saved);
  return { kind: 'done', detail: { ...detail, status: saved.status } };
}

/** An `http_request` step: first the call to make, and then, with its answer, the end. */
export function* performRequest(
  running: Running,
  step: ProgramStep,
  answered: AnsweredCall | undefined,
): StepGenerator {
  const parameters = step.parameters as unknown as RequestParameters;
  if (answered) return endWithAnswer(running, parameters, answered);
  const { method, url, headers = {}, body, saveAs = null, signWith } = parameters;
  const names = Object.keys(headers);
  const { secrets } = running;
  const texts = [...Object.values(headers), ...(body === undefined ? [] : [body])];
  const usesSecrets = signWith !== undefined || texts.some((text) => text.includes('secrets'));
  const address = usesSecrets ? renderAddress(running, url) : undefined;
  const [target = '', ...rest] = yield* renderAll(
    running,
    [address ?? url, ...texts],
    usesSecrets ? { secrets } : {},
  );
  const signingKey = signWith === undefined ? undefined : secrets[signWith];
  if (signWith !== undefined && signingKey === undefined)
    return {
      kind: 'failed_step',
      failure: { code: 'secret_missing', message: `There is no secret "${signWith}"` },
      detail: { method, url: target },
    };
  return {
    kind: 'call',
    detail: { method, url: target },
    call: {
      method,
      url: target,
      headers: Object.fromEntries(names.map((name, index) => [name, rest[index] as string])),
      body: rest[names.length] ?? null,
      saveAs,
      ...(signingKey === undefined ? {} : { signingKey }),
      usesSecrets,
    },
  };
}
