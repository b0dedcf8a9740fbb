import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { keyOf, signedHeaders } from '../../../src/webhooks/payload.ts';
import { ATTEMPTS, RETRY_DELAYS_MS } from '../../../src/webhooks/schedule.ts';
import { hasOpenssl } from '../../kit/self-signed.ts';
import { useTempFolder } from '../../kit/temp-folder.ts';

const page = readFileSync(new URL('../../../../docs/use/webhooks.md', import.meta.url), 'utf8');
const folder = await useTempFolder();

/** The first code block of a language that contains a text. */
function snippet(language: string, having: string): string {
  const all = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );
  const found = all.find((code) => code.includes(having));
  if (!found) throw new Error(`The page has no ${language} with "${having}".`);
  return found;
}
/** How to run the `verify` of the page: it reads headers from stdin and prints for each whether it returned the event. */
const interpreted: [language: string, fence: string, command: string[], caller: string][] = [
  [
    'Python',
    'python',
    ['python3', '-c'],
    `
import sys
given = json.load(sys.stdin)
def is_valid(headers):
    try:
        return verify(given["secret"], headers, given["body"].encode()) == json.loads(given["body"])
    except ValueError:
        return False
print(json.dumps([is_valid(headers) for headers in given["headers"]]))`,
  ],
  [
    'PHP',
    'php',
    ['php', '-r'],
    `
$given = json_decode(stream_get_contents(STDIN), true);
$isValid = function ($headers) use ($given) {
    try {
        return verify($given['secret'], $headers, $given['body']) === json_decode($given['body'], true);
    } catch (RuntimeException $error) {
        return false;
    }
};
echo json_encode(array_map($isValid, $given['headers']));`,
  ],
  [
    'Ruby',
    'ruby',
    ['ruby', '-e'],
    `
given = JSON.parse(STDIN.read)
results = given["headers"].map do |headers|
  verify(given["secret"], headers, given["body"]) == JSON.parse(given["body"])
rescue StandardError
  false
end
puts JSON.generate(results)`,
  ],
];
const isInstalled = (command: string): boolean => spawnSync(command, ['--version']).status === 0;

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const old = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const body = '{"type":"message.received","data":{"text":"Grüße 🙂 \\u2028"}}';
const signed = (at: Date, secrets: string[]) =>
  signedHeaders('3.0.0', '019a82a0-0000-7000-8000-000000000032', at, body, secrets.map(keyOf));
const now = new Date();
const good = [signed(now, [secret]), signed(now, [old, secret])];
const bad = [
  signed(now, [old]),
  signed(new Date(now.getTime() - 3600_000), [secret]),
  signed(new Date(now.getTime() + 3600_000), [secret]),
  { ...signed(now, [secret]), 'webhook-id': 'another' },
  { ...signed(now, [secret]), 'webhook-signature': 'v1,' },
  { ...signed(now, [secret]), 'webhook-timestamp': 'now' },
];

describe('the page about webhooks', () => {
  it('has TypeScript code that accepts valid signatures only', async () => {
    const path = join(folder, 'verify.mjs');
    writeFileSync(path, transformSync(snippet('ts', 'verify'), { loader: 'ts', format: 'esm' }).code);
    const { verify } = await import(/* @vite-ignore */ pathToFileURL(path).href);
    for (const headers of good) expect(verify(secret, headers, body)).toEqual(JSON.parse(body));
    for (const headers of bad) expect(() => verify(secret, headers, body)).toThrow();
    expect(() => verify(secret, good[0], `${body} `)).toThrow('not signed');
  });

  for (const [language, fence, [command = '', ...options], caller] of interpreted)
    it.skipIf(!isInstalled(command))(`has ${language} code that accepts valid signatures only`, () => {
      const run = spawnSync(command, [...options, snippet(fence, 'verify') + caller], {
        input: JSON.stringify({ secret, body, headers: [...good, ...bad] }),
        encoding: 'utf8',
      });
      expect(run.stderr).toBe('');
      expect(JSON.parse(run.stdout)).toEqual([...good.map(() => true), ...bad.map(() => false)]);
    });

  it.skipIf(!hasOpenssl)('has an openssl command that makes the same signature', () => {
    writeFileSync(join(folder, 'body.json'), body);
    const headers = signed(now, [secret]);
    const run = spawnSync('sh', ['-c', snippet('sh', 'openssl dgst')], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        SECRET: secret,
        ID: headers['webhook-id'],
        TIMESTAMP: headers['webhook-timestamp'],
      },
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(`v1,${run.stdout}`).toBe(headers['webhook-signature']);
  });

  it('has the retry schedule of the code', () => {
    const pauses = /\| pause +\|(.*)\|/
      .exec(page)?.[1]
      ?.split('|')
      .map((cell) => cell.trim());
    const units: Record<string, number> = { s: 1000, min: 60_000, h: 3600_000 };
    expect(
      pauses?.map((cell) => {
        const [count, unit] = cell.split(' ') as [string, string];
        return Number(count) * (units[unit] as number);
      }),
    ).toEqual([...RETRY_DELAYS_MS]);
    expect(ATTEMPTS).toBe(10);
    expect(page).toContain('After the tenth attempt');
  });
});
