import { count } from './text.ts';

export interface Progress {
  done: number;
  /** Null until it is known. */
  total: number | null;
  failed: number;
  perSecond: number;
}

const BAR_CHARACTERS = 30;
/** How often a line is printed if there is no terminal that can show a bar. */
const LINE_MS = 5_000;

function describe({ done, total, failed, perSecond }: Progress): string {
  const rows = total === null ? 'counting rows' : `${count(done)} of ${count(total)} rows`;
  const speed = perSecond >= 1 ? `  ${count(Math.round(perSecond))} rows/s` : '';
  return `${rows}${speed}${failed > 0 ? `  ${count(failed)} with issues` : ''}`;
}

/** `[#########---------------------]  30 %  3,000 of 10,000 rows`, at most as wide as the terminal. */
export function drawBar(progress: Progress, columns: number): string {
  const { done, total } = progress;
  const share = total ? Math.min(1, done / total) : 0;
  const full = Math.floor(share * BAR_CHARACTERS);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_CHARACTERS - full)}]`;
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${bar} ${percent}  ${describe(progress)}`.slice(0, Math.max(1, columns - 1));
}

interface Output {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** A bar on a terminal, else a line now and then. */
export function showProgress(output: Output): { update(progress: Progress): void; clear(): void } {
  let lastAt = 0;
  let lastText = '';
  return {
    update(progress) {
      if (output.isTTY) {
        output.write(`\r\u001b[K${drawBar(progress, output.columns ?? 80)}`);
        return;
      }
      const text = describe(progress);
      if (text === lastText || Date.now() - lastAt < LINE_MS) return;
      [lastAt, lastText] = [Date.now(), text];
      output.write(`${text}\n`);
    },
    clear() {
      if (output.isTTY) output.write('\r\u001b[K');
    },
  };
}
