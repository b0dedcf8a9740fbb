import { describe, expect, it } from 'vitest';
import { parseAllowList } from '../../../../src/outbound/addresses.ts';
import {
  definitionOf,
  issuesOf,
  keysOf,
  type Step,
  step,
  trigger,
  validate,
} from '../../../kit/definitions.ts';

const ID = '019a82a0-0000-7000-8000-00000000abcd';

/** The parameters of a step, and the faults they have by their path below `steps.0.parameters`. */
const parameterCases: [Step['type'], unknown, Record<string, string>][] = [
  ['send_message', { text: 'Hello' }, {}],
  ['send_message', { media: { fileId: ID } }, {}],
  ['send_message', { text: 'Hi', media: { url: 'https://example.com/a.png' }, channelId: ID }, {}],
  ['send_message', undefined, { '': 'custom' }],
  ['send_message', { text: '' }, { '.text': 'too_small' }],
  ['send_message', { text: 5 }, { '.text': 'invalid_type' }],
  ['send_message', { text: 'x'.repeat(10_001) }, { '.text': 'too_big' }],
  ['send_message', { text: 'a', channelId: 'x' }, { '.channelId': 'invalid_string' }],
  ['send_message', { media: {} }, { '.media': 'custom' }],
  ['send_message', { media: { fileId: ID, url: 'https://example.com' } }, { '.media': 'custom' }],
  ['send_message', { media: { url: 'http://10.0.0.1/x' } }, { '.media.url': 'invalid_string' }],
  ['send_template', { templateId: ID, variables: { name: '{{ contact.firstName }}' } }, {}],
  ['send_template', {}, { '.templateId': 'invalid_type' }],
  ['send_template', { templateId: ID, variables: { a: '{{' } }, { '.variables.a': 'invalid_string' }],
  ['send_template', { templateId: ID, variables: { a: 1 } }, { '.variables.a': 'invalid_type' }],
  ['wait', { for: 'PT10M' }, {}],
  ['wait', { for: 'P1Y' }, {}],
  ['wait', { until: '2027-01-01T00:00:00Z' }, {}],
  ['wait', { until: '{{ variables.date }}' }, {}],
  ['wait', {}, { '': 'custom' }],
  ['wait', { for: 'PT1M', until: '2027-01-01T00:00:00Z' }, { '': 'custom' }],
  ['wait', { for: '10 minutes' }, { '.for': 'invalid_string' }],
  ['wait', { for: 'PT0S' }, { '.for': 'custom' }],
  ['wait', { for: '-PT5M' }, { '.for': 'custom' }],
  ['wait', { for: 'P1Y1D' }, { '.for': 'custom' }],
  ['wait', { until: 'tomorrow' }, { '.until': 'invalid_string' }],
  ['wait', { until: '2026-02-30T00:00:00Z' }, { '.until': 'invalid_string' }],
  ['wait', { until: '{{ variables.date' }, { '.until': 'invalid_string' }],
  ['wait_for_reply', { timeout: 'P1D' }, {}],
  ['wait_for_reply', { timeout: 'P1D', onTimeout: 's0' }, {}],
  ['wait_for_reply', {}, { '.timeout': 'invalid_type' }],
  ['branch', { cases: [{ when: 'eq(contact.firstName,"Ada")', next: 's0' }] }, {}],
  ['branch', { cases: [] }, { '.cases': 'too_small' }],
  [
    'branch',
    { cases: [{ when: 'eq(' }] },
    { '.cases.0.when': 'invalid_string', '.cases.0.next': 'invalid_type' },
  ],
  ['branch', {}, { '.cases': 'invalid_type' }],
  ['set_attribute', { externalId: 'city', value: '{{ message.text }}' }, {}],
  ['set_attribute', { externalId: 'city', value: '' }, {}],
  ['set_attribute', {}, { '.externalId': 'invalid_type', '.value': 'invalid_type' }],
  ['add_label', {}, { '.labelId': 'invalid_type' }],
  ['remove_label', { labelId: 7 }, { '.labelId': 'invalid_type' }],
  ['assign', { userId: ID, teamId: null }, {}],
  ['assign', {}, { '': 'custom' }],
  ['set_chat_status', { status: 'closed' }, {}],
  ['set_chat_status', { status: 'snoozed', snoozedUntil: '{{ variables.until }}' }, {}],
  ['set_chat_status', { status: 'snoozed' }, { '.snoozedUntil': 'invalid_type' }],
  [
    'set_chat_status',
    { status: 'open', snoozedUntil: '2027-01-01T00:00:00Z' },
    { '.snoozedUntil': 'custom' },
  ],
  ['set_chat_status', { status: 'gone' }, { '.status': 'invalid_enum_value' }],
  ['http_request', { method: 'TRACE', url: 'https://example.com' }, { '.method': 'invalid_enum_value' }],
  ['http_request', { method: 'GET', url: 'nowhere' }, { '.url': 'invalid_string' }],
  ['http_request', { method: 'GET', url: 'ftp://example.com/' }, { '.url': 'invalid_string' }],
  [
    'http_request',
    { method: 'POST', url: 'https://example.com/{{ contact.id }}', body: '{{ contact | json }}' },
    {},
  ],
  ['http_request', { method: 'GET', url: '{{ variables.url }}' }, {}],
  ['http_request', { method: 'GET', url: 'https://{{ variables.host }}/x' }, {}],
  [
    'http_request',
    { method: 'GET', url: 'https://example.com/', saveAs: 'a b' },
    { '.saveAs': 'invalid_string' },
  ],
  [
    'http_request',
    { method: 'GET', url: 'https://example.com/', saveAs: 'constructor' },
    { '.saveAs': 'invalid_string' },
  ],
  [
    'http_request',
    {
      method: 'GET',
      url: 'https://example.com/',
      headers: { 'X-Key': '{{ variables.key }}', 'a b': '', Host: 'x', B: 'a\r\nc' },
    },
    { '.headers.a b': 'invalid_string', '.headers.Host': 'custom', '.headers.B': 'invalid_string' },
  ],
  ['end', undefined, {}],
  ['end', { anything: true }, { '.anything': 'unrecognized_keys' }],
  ['end', { anything: null }, { '.anything': 'unrecognized_keys' }],
  ['end', [], { '': 'invalid_type' }],
];

describe('the parameters of a step', () => {
  it.each(parameterCases)('%s %j', (type, parameters, expected) => {
    const issues = keysOf(issuesOf([step(type, parameters)]));
    const named = Object.entries(expected).map(([path, key]) => [`steps.0.parameters${path}`, key]);
    expect(issues).toEqual(Object.fromEntries(named));
  });

  it.each([
    'http://127.0.0.1/{{ contact.id }}',
    'http://127.1/?x={{ contact.id }}',
    'http:\\\\10.0.0.1\\{{ contact.id }}',
    'https://[::1]/#{{ contact.id }}',
    'http:192.168.1.1/{{ contact.id }}',
    'http://user:secret@example.com/{{ contact.id }}',
    'http://169.254.169.254/latest',
  ])('S1: %s names a host that is never called, whatever its Liquid says', (url) => {
    expect(keysOf(issuesOf([step('http_request', { method: 'GET', url })]))).toEqual({
      'steps.0.parameters.url': 'invalid_string',
    });
  });

  it('an address that the operator has opened may be called', () => {
    const open = { allow: parseAllowList('10.0.0.0/8'), loopback: false };
    const given = definitionOf([step('http_request', { method: 'GET', url: 'http://10.0.0.1/' })]);
    expect(validate(given, open).issues).toEqual({});
  });
});

const triggerCases: [string, unknown, Record<string, string>][] = [
  ['api', undefined, {}],
  ['api', { channelId: ID }, {}],
  ['api', { channelId: 'x' }, { '.channelId': 'invalid_string' }],
  ['message_received', { keywords: ['hi', 'hello'] }, {}],
  ['message_received', { keywords: [] }, { '.keywords': 'too_small' }],
  ['message_received', { keywords: ['', 5] }, { '.keywords.0': 'too_small', '.keywords.1': 'invalid_type' }],
  ['label_added', {}, { '.labelId': 'invalid_type' }],
  ['label_added', { labelId: ID }, {}],
  ['schedule', {}, { '.rrule': 'invalid_type', '.audience': 'invalid_type' }],
  ['schedule', { rrule: 'FREQ=DAILY', audience: 'contains(labelIds,"x")', timezone: 'Europe/Berlin' }, {}],
  ['schedule', { rrule: 'FREQ=DAILY', audience: 'eq(' }, { '.audience': 'invalid_string' }],
  ['schedule', { rrule: 'FREQ=DAILY', audience: '' }, { '.audience': 'too_small' }],
  ['schedule', { rrule: 'daily', audience: 'eq(isSubscribed,true)' }, { '.rrule': 'invalid_string' }],
  [
    'schedule',
    { rrule: 'FREQ=DAILY', audience: 'eq(isSubscribed,true)', timezone: 'Mars/Olympus' },
    { '.timezone': 'invalid_string' },
  ],
];

describe('the parameters of a trigger', () => {
  it.each(triggerCases)('%s %j', (type, parameters, expected) => {
    const issues = keysOf(issuesOf([{}], trigger(type, parameters)));
    const named = Object.entries(expected).map(([path, key]) => [`trigger.parameters${path}`, key]);
    expect(issues).toEqual(Object.fromEntries(named));
  });
});
