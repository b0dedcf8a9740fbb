import { describe, expect, test } from 'vitest';
import { parseAllowList } from '../../../src/outbound/addresses.ts';
import { validateUrl } from '../../../src/outbound/validate-url.ts';

const closed = { allow: parseAllowList(''), loopback: false };

// One address of every network; addresses.test.ts tests their boundaries.
const refusedIpv4 = [
  ...[
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.1',
  ],
  ...[
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
];

describe('validateUrl', () => {
  const refusal = (url: string, policy = closed): string => {
    const decision = validateUrl(url, policy);
    return decision.ok ? 'allowed' : decision.reason;
  };

  test.each([
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
      '0x7f.1.',
    ],
    ...[
      '１２７.０.０.１',
      '127。0。0。1',
      '①②⑦.0.0.1',
      '%31%32%37.0.0.1',
      '[::ffff:127.0.0.1]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
    ],
  ])('S1: http://%s/ is this machine, and the reason names the variable to allow it', (host) => {
    for (const url of [`http://${host}/`, `https://${host}:8443/hook`]) {
      expect(refusal(url)).toMatch(/has no public address.*PARLEY_OUTBOUND_ALLOW_HOSTS/);
      expect(refusal(url, { allow: closed.allow, loopback: true })).toBe('allowed');
    }
  });

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'a.b.localhost.',
    'ⓛocalhost',
    'loc%61lhost',
  ])('S1: the name %s is this machine', (host) => {
    expect(refusal(`http://${host}/`)).toMatch(/has no public address.*PARLEY_OUTBOUND_ALLOW_HOSTS/);
    expect(refusal(`http://${host}/`, { allow: closed.allow, loopback: true })).toBe('allowed');
  });

  test.each([
    ...refusedIpv4.flatMap((ip) => [ip, `[::ffff:${ip}]`, `[64:ff9b::${ip}]`]),
    ...[
      '0',
      '0xa9fea9fe',
      '[::]',
      '[::127.0.0.1]',
      '[::5efe:7f00:1]',
      '[4000::1]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[2002:7f00:1::]',
    ],
  ])('S1: http://%s/ is refused', (host) => {
    expect(refusal(`http://${host}/`)).toContain('PARLEY_OUTBOUND_ALLOW_HOSTS');
  });

  test.each([
    'http://[fe80::1%25eth0]/',
    'http://256.1.1.1/',
    'http://127.0.0.1../',
    'http://localhost../',
    'http://a..example/',
  ])('S1: %s is not a valid host with any policy', (url) =>
    expect(refusal(url, { allow: parseAllowList('0.0.0.0/0, ::/0'), loopback: true })).not.toBe('allowed'));

  test.each([
    'ftp://a.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:,x',
    'unix:/run/docker.sock',
    '//a.example',
    '',
  ])('%j is not an http URL', (url) => expect(refusal(url)).not.toBe('allowed'));

  test('credentials in the URL are refused', () => {
    for (const url of [
      'https://user@a.example/',
      'https://user:pass@a.example/',
      'https://:pass@a.example/',
    ]) {
      expect(refusal(url)).toContain('password');
    }
  });

  test('public addresses and names are valid without a lookup, and so are those that the operator allowed', () => {
    for (const url of [
      'https://a.example/x?y=1',
      'http://8.8.8.8/',
      'https://[2606:4700::1111]/',
      'http://internal/',
    ]) {
      expect(refusal(url)).toBe('allowed');
    }
    expect(refusal('http://10.1/', { allow: parseAllowList('10.0.0.0/30'), loopback: false })).toBe(
      'allowed',
    );
    expect(refusal('http://[::1]/', { allow: parseAllowList('[::1]'), loopback: false })).toBe('allowed');
    expect(refusal('http://localhost./', { allow: parseAllowList('localhost'), loopback: false })).toBe(
      'allowed',
    );
  });
});
