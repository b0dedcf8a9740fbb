/** Returns a function that calls `run` some time after the first of several calls for the same key. Events often come together. */
export function runSoon<C>(
  ms: number,
  run: (key: string, context: C) => void,
): (key: string, context: C) => void {
  const waiting = new Set<string>();
  return (key, context) => {
    if (waiting.has(key)) return;
    waiting.add(key);
    setTimeout(() => {
      waiting.delete(key);
      run(key, context);
    }, ms);
  };
}
