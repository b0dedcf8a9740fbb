import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../docs/use/sdk.md', import.meta.url), 'utf8');

/** The programs of docs/use/sdk.md: the first block makes the client, which the others use. */
export function blocksOf(language: string): string[] {
  const [first = '', ...others] = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );
  return [first, ...others.map((code) => first + code)];
}
