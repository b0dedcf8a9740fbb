import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { keyOf, signedHeaders } from '../../../src/webhooks/payload.ts';
import { ATTEMPTS, PAUSES_MS } from '../../../src/webhooks/schedule.ts';
import { hasOpenssl } from '../../kit/self-signed.ts';

const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'parley-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The code of the page in a language that has a piece with this in it. */
function snippet(language: string, having: string): string {
  const all = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );
  const found = all.find((code) => code.includes(having));
  if (!found) throw new Error(`The page has no ${language} with "${having}".`);
  return found;
}
/** How a page's `verify` is run in a language, on headers from stdin: for each of them, whether it gave the event. */
const interpreted: [language: string, fence: string, command: string[], caller: string][] = [
  [
    'Python',
    'python',
    ['python3', '-c'],
    `
import sys
given = json.load(sys.stdin)
def verdict(headers):
    try:
        return verify(given["secret"], headers, given["body"].encode()) == json.loads(given["body"])
    except ValueError:
        return False
print(json.dumps([verdict(headers) for headers in given["headers"]]))`,
  ],
  [
    'PHP',
    'php',
    ['php', '-r'],
    `
$given = json_decode(stream_get_contents(STDIN), true);
$verdict = function ($headers) use ($given) {
    try {
        return verify($given['secret'], $headers, $given['body']) === json_decode($given['body'], true);
    } catch (RuntimeException $error) {
        return false;
    }
};
echo json_encode(array_map($verdict, $given['headers']));`,
  ],
  [
    'Ruby',
    'ruby',
    ['ruby', '-e'],
    `
given = JSON.parse(STDIN.read)
verdicts = given["headers"].map do |headers|
  verify(given["secret"], headers, given["body"]) == JSON.parse(given["body"])
rescue StandardError
  false
end
puts JSON.generate(verdicts)`,
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
  it('verifies in TypeScript what is signed, and nothing else', async () => {
    const path = join(folder, 'verify.mjs');
    writeFileSync(path, transformSync(snippet('ts', 'verify'), { loader: 'ts', format: 'esm' }).code);
    const { verify } = await import(/* @vite-ignore */ pathToFileURL(path).href);
    for (const headers of good) expect(verify(secret, headers, body)).toEqual(JSON.parse(body));
    for (const headers of bad) expect(() => verify(secret, headers, body)).toThrow();
    expect(() => verify(secret, good[0], `${body} `)).toThrow('not signed');
  });

  for (const [language, fence, [command = '', ...options], caller] of interpreted)
    it.skipIf(!isInstalled(command))(`verifies in ${language} what is signed, and nothing else`, () => {
      const run = spawnSync(command, [...options, snippet(fence, 'verify') + caller], {
        input: JSON.stringify({ secret, body, headers: [...good, ...bad] }),
        encoding: 'utf8',
      });
      expect(run.stderr).toBe('');
      expect(JSON.parse(run.stdout)).toEqual([...good.map(() => true), ...bad.map(() => false)]);
    });

  it.skipIf(!hasOpenssl)('makes the same signature with openssl', () => {
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

  it('has the schedule that is in force', () => {
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
    ).toEqual([...PAUSES_MS]);
    expect(ATTEMPTS).toBe(10);
    expect(page).toContain('After the tenth attempt');
  });
});
