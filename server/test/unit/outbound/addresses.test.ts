import { describe, expect, test } from 'vitest';
import { OperatorError } from '../../../src/base/errors.ts';
import {
  outboundPolicy,
  parseAllowList,
  validateAddress,
  validateDestination,
} from '../../../src/outbound/addresses.ts';

// The first and the last address of every refused network, and the public neighbours on either side.
const ipv4Networks: [network: string, first: string, last: string, neighbours: string[]][] = [
  ['0/8', '0.0.0.0', '0.255.255.255', ['1.0.0.0']],
  ['10/8', '10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0']],
  ['100.64/10', '100.64.0.0', '100.127.255.255', ['100.63.255.255', '100.128.0.0']],
  ['127/8', '127.0.0.0', '127.255.255.255', ['126.255.255.255', '128.0.0.0']],
  ['169.254/16', '169.254.0.0', '169.254.255.255', ['169.253.255.255', '169.255.0.0']],
  ['172.16/12', '172.16.0.0', '172.31.255.255', ['172.15.255.255', '172.32.0.0']],
  ['192.0.0/24', '192.0.0.0', '192.0.0.255', ['191.255.255.255', '192.0.1.0']],
  ['192.0.2/24', '192.0.2.0', '192.0.2.255', ['192.0.1.255', '192.0.3.0']],
  ['192.88.99/24', '192.88.99.0', '192.88.99.255', ['192.88.98.255', '192.88.100.0']],
  ['192.168/16', '192.168.0.0', '192.168.255.255', ['192.167.255.255', '192.169.0.0']],
  ['198.18/15', '198.18.0.0', '198.19.255.255', ['198.17.255.255', '198.20.0.0']],
  ['198.51.100/24', '198.51.100.0', '198.51.100.255', ['198.51.99.255', '198.51.101.0']],
  ['203.0.113/24', '203.0.113.0', '203.0.113.255', ['203.0.112.255', '203.0.114.0']],
  ['224/4', '224.0.0.0', '239.255.255.255', ['223.255.255.255']],
  ['240/4', '240.0.0.0', '255.255.255.255', []],
  ['168.63.129.16', '168.63.129.16', '168.63.129.16', ['168.63.129.15', '168.63.129.17']],
];
const hex = (ip: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

describe('validateAddress', () => {
  test.each(
    ipv4Networks,
  )('S1: %s is refused, its public neighbours are not', (_network, first, last, near) => {
    for (const ip of [first, last]) {
      for (const spelling of [
        ip,
        `::ffff:${ip}`,
        `::ffff:${hex(ip)}`,
        `64:ff9b::${ip}`,
        `64:ff9b::${hex(ip)}`,
      ]) {
        expect(validateAddress(spelling), spelling).toMatchObject({ allowed: false });
      }
    }
    for (const ip of near) {
      for (const spelling of [ip, `::ffff:${ip}`, `64:ff9b::${hex(ip)}`]) {
        expect(validateAddress(spelling), spelling).toEqual({ allowed: true });
      }
    }
  });

  test.each([
    ...[
      '::',
      '::1',
      '::7f00:1',
      '::5efe:7f00:1',
      '::ffff:0:7f00:1',
      '64:ff9b:1::1',
      '100::1',
      '400::1',
      '1fff:ffff::',
    ],
    ...['2001::', '2001::1', '2001:1ff:ffff::', '2001:db8::1', '2001:db8:ffff::', '2002::1', '2002:7f00:1::'],
    ...[
      '3fff::',
      '3fff:fff:ffff::',
      '4000::1',
      '5f00::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fec0::1',
      'ff02::1',
    ],
  ])('S1: the IPv6 address %s is refused', (ip) => {
    expect(validateAddress(ip)).toMatchObject({ allowed: false });
  });

  test.each([
    '2001:200::1',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700::1111',
    '2a00::1',
    '3fff:1000::',
    '3ffe::1',
  ])('the public IPv6 address %s is allowed', (ip) => expect(validateAddress(ip)).toEqual({ allowed: true }));

  test.each([
    '2606:4700::1111%eth0',
    'fe80::1%1',
    '127.1',
    '0x7f.1',
    '010.0.0.1',
    ' 8.8.8.8',
    '8.8.8.8:80',
    '',
    'a.example',
  ])('S1: %j is refused, because it is not a plain address', (ip) =>
    expect(validateAddress(ip)).toEqual({ allowed: false, reason: 'not a plain IP address' }));
});

describe('validateDestination', () => {
  const allows = (list: string, host: string, ip: string, loopback = false): boolean =>
    validateDestination({ allow: parseAllowList(list), loopback }, host, ip).allowed;

  test('an allowed name may resolve to any address, and other names may not', () => {
    expect(allows('Receiver.LAN.', 'receiver.lan', '10.0.0.7')).toBe(true);
    expect(allows('receiver.lan', 'receiver.lan.', '127.0.0.1')).toBe(true);
    expect(allows('receiver.lan', 'sub.receiver.lan', '10.0.0.7')).toBe(false);
    expect(allows('bücher.example', 'xn--bcher-kva.example', '10.0.0.7')).toBe(true);
  });

  test('an allowed network allows its addresses for every name, also mapped and through NAT64', () => {
    for (const ip of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203']) {
      expect(allows('10.1.0.0/16', 'any.example', ip), ip).toBe(true);
      expect(allows('10.2.0.0/16', 'any.example', ip), ip).toBe(false);
    }
    expect(allows('[fd00::]/8', 'any.example', 'fd12::1')).toBe(true);
    expect(allows('::ffff:10.0.0.0/104', 'any.example', '10.1.2.3')).toBe(true);
    expect(allows('::/0', 'any.example', '10.1.2.3')).toBe(false);
    expect(allows('192.168.1.5', 'any.example', '192.168.1.5')).toBe(true);
    expect(allows('192.168.1.5', 'any.example', '192.168.1.6')).toBe(false);
  });

  test('loopback allows this machine and nothing else', () => {
    for (const ip of ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(allows('', 'localhost', ip, true), ip).toBe(true);
    }
    for (const ip of ['10.0.0.1', '0.0.0.0', '::', '169.254.169.254', '64:ff9b::7f00:1', '::7f00:1']) {
      expect(allows('', 'localhost', ip, true), ip).toBe(false);
    }
  });
});

describe('outboundPolicy', () => {
  const isOpen = (host: string, isProduction = false): boolean =>
    outboundPolicy({ host, isProduction, allowHosts: '' }).loopback;

  test('X12: opens loopback while the server itself listens on loopback only', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])
      expect([host, isOpen(host)]).toEqual([host, true]);
    for (const host of [
      '0.0.0.0',
      '::',
      '',
      '10.0.0.5',
      '192.168.1.2',
      'parley.example.com',
      '127.0.0.1.nip.io',
    ])
      expect([host, isOpen(host)]).toEqual([host, false]);
  });

  test('X12: never opens loopback in production', () => {
    expect(isOpen('127.0.0.1', true)).toBe(false);
  });
});

describe('parseAllowList', () => {
  test('reads names, addresses and networks, and ignores blanks', () => {
    const list = parseAllowList(' receiver, 10.0.0.0/8,[::1], fd00::/8, my_service.lan,,');
    expect([...list.names]).toEqual(['receiver', 'my_service.lan']);
    expect(list.networks.map(([ip, prefix]) => `${ip}/${prefix}`)).toEqual([
      '10.0.0.0/8',
      '::1/128',
      'fd00::/8',
    ]);
  });

  test.each([
    ...[
      '*.example',
      '*',
      'http://a.example',
      'a.example:80',
      '10.0.0.0/33',
      '[::1]/129',
      '10.0.0.0/',
      '10/8',
      '127.1',
    ],
    ...[
      '010.0.0.1',
      '2130706433',
      '0x7f.1',
      '[10.0.0.1]',
      '[::1',
      'fe80::1%eth0',
      'a b',
      'a@b',
      'a..b',
      'a/b',
      'a?b',
      '%61.b',
    ],
  ])('reports that %s is malformed', (entry) => {
    const parse = (): unknown => parseAllowList(`fine.example, ${entry}`);
    expect(parse).toThrow(OperatorError);
    expect(parse).toThrow(`"${entry}"`);
  });
});
