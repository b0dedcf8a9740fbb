import { describe, expect, it } from 'vitest';
import { callOutside } from '../../../src/automations/runs/call-outside.ts';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../../src/base/json-depth.ts';
import { entriesOf, entriesOrNone } from '../../../src/providers/meta/payload.ts';
import { contentOf } from '../../../src/providers/whatsapp_cloud/message-content.ts';
import { useHttpServer } from '../../kit/listeners.ts';
import { useOutboundClient } from '../../kit/outbound-client.ts';

const lists = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
/** Far deeper than JSON.stringify can write on any machine. */
const FAR = 100_000;

describe('the depth of JSON', () => {
  it('counts lists and objects that stand inside each other', () => {
    const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    for (const make of [lists, objects]) {
      expect(isNestedTooDeeply(Buffer.from(make(MAX_JSON_DEPTH)))).toBe(false);
      expect(isNestedTooDeeply(Buffer.from(make(MAX_JSON_DEPTH + 1)))).toBe(true);
    }
  });

  it('counts neither what stands side by side nor what is in a string', () => {
    expect(isNestedTooDeeply(Buffer.from(`[${'[],'.repeat(1_000)}[]]`))).toBe(false);
    expect(isNestedTooDeeply(Buffer.from(JSON.stringify([lists(FAR), '\\"[', '\\\\']) + lists(60)))).toBe(
      false,
    );
  });
});

describe('JSON from outside', async () => {
  let body = '';
  const { url } = await useHttpServer((_, response) => void response.end(body));
  const outbound = useOutboundClient();
  const answered = (text: string) => {
    body = text;
    return callOutside(
      outbound,
      { method: 'GET', url, headers: {}, body: null, saveAs: null },
      'key',
      new Date(),
    );
  };

  it('is the answer of an http_request up to the limit', async () => {
    const text = lists(MAX_JSON_DEPTH);
    expect(await answered(text)).toEqual({ saved: { status: 200, body: JSON.parse(text) } });
  });

  it.each([
    MAX_JSON_DEPTH + 1,
    FAR,
  ])('fails an http_request that is answered with %i levels', async (depth) => {
    expect(await answered(lists(depth))).toEqual({
      failure: {
        code: 'answer_too_large',
        message: `The answer is nested deeper than ${MAX_JSON_DEPTH} levels`,
      },
    });
  });

  it('is the text of an answer that is not JSON, whatever brackets it has', async () => {
    const text = '['.repeat(1_000);
    expect(await answered(text)).toEqual({ saved: { status: 200, body: text } });
  });

  const request = (inner: string) => ({
    url: '',
    headers: {},
    body: Buffer.from(`{"entry":[{"id":${inner}}]}`),
  });

  it('is refused in a request of Meta above the limit', () => {
    expect(entriesOf(request(lists(MAX_JSON_DEPTH - 3)))).toHaveLength(1);
    for (const depth of [MAX_JSON_DEPTH - 2, FAR]) {
      expect(() => entriesOf(request(lists(depth)))).toThrow(`nested deeper than ${MAX_JSON_DEPTH} levels`);
      expect(entriesOrNone(request(lists(depth)))).toEqual([]);
    }
  });

  it('stays a text where the answer to a form of WhatsApp is nested too deeply', () => {
    const responseTo = (json: string) => {
      const nfm_reply = { name: 'flow', body: 'Sent', response_json: json };
      const message = { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply } };
      return contentOf(message).content.response;
    };
    expect(responseTo(lists(MAX_JSON_DEPTH))).toEqual(JSON.parse(lists(MAX_JSON_DEPTH)));
    for (const depth of [MAX_JSON_DEPTH + 1, FAR]) expect(responseTo(lists(depth))).toBe(lists(depth));
  });
});
