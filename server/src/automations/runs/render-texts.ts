import { isDateTime } from '../../http/validation.ts';
import { liquidAt, type Rendered, renderSimple } from '../definition/liquid.ts';
import type { EvaluateInput } from './evaluate-task.ts';
import type { Effect, EffectResult, Running } from './state.ts';
import { applyEffect, StepError } from './step-outcome.ts';

/** The parts of the scope that a text can use. A copy of the others would take the event loop's time for nothing. */
function scopeFor(texts: readonly string[], scope: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(scope);
  // In brackets any name may come from a value.
  if (texts.some((text) => text.includes('['))) return scope;
  return Object.fromEntries(
    names.map((name) => [name, texts.some((text) => text.includes(name)) ? scope[name] : {}]),
  );
}

/** Renders the texts of a step: simple ones here, the others together in a worker thread. */
export function* renderAll(
  running: Running,
  templates: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Generator<Effect, string[], EffectResult> {
  const scope = { ...running.scope(), ...more };
  const rendered = templates.map((template) => renderSimple(template, scope));
  const texts = templates.filter((_, index) => rendered[index] === undefined);
  let others: Rendered[] = [];
  if (texts.length > 0) {
    const input: EvaluateInput = { kind: 'texts', texts, scope: scopeFor(texts, scope) };
    const { evaluated } = yield* applyEffect(running, { kind: 'evaluate', input });
    if (evaluated?.kind !== 'texts') throw new Error('the texts were not rendered');
    others = [...evaluated.rendered];
  }
  return rendered.map((one) => {
    const { text, issue } = one ?? (others.shift() as Rendered);
    if (text === undefined) throw new StepError('liquid_error', `The text could not be rendered: ${issue}`);
    return text;
  });
}

/** The address of a call that uses secrets. It is rendered without them, because the trace shows it. */
export function renderAddress(running: Running, template: string): string {
  const { text, issue = 'it must be simple if a step uses secrets' } =
    renderSimple(template, running.scope()) ?? {};
  if (text === undefined) throw new StepError('liquid_error', `The URL could not be rendered: ${issue}`);
  if (liquidAt(text) >= 0) throw new StepError('liquid_error', 'The rendered URL contains Liquid again');
  return text;
}

export function* renderText(running: Running, template: unknown): Generator<Effect, string, EffectResult> {
  const [text] = yield* renderAll(running, [template as string]);
  return text as string;
}

/** Renders every text in a value, at any depth. Ids and numbers have no Liquid and stay as they are. */
export function* renderContent<V extends object>(
  running: Running,
  value: V,
): Generator<Effect, V, EffectResult> {
  const templates: string[] = [];
  const collect = (part: unknown): void => {
    if (typeof part === 'string') templates.push(part);
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(collect);
  };
  collect(value);
  const texts = yield* renderAll(running, templates);
  let next = 0;
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      next += 1;
      return texts[next - 1];
    }
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, fill(inner)]));
  };
  return fill(value) as V;
}

export function* renderTime(running: Running, template: unknown): Generator<Effect, Date, EffectResult> {
  const rendered = (yield* renderText(running, template)).trim();
  if (!isDateTime(rendered))
    throw new StepError('invalid_time', `"${rendered.slice(0, 100)}" is not a time with a zone`);
  return new Date(rendered);
}
