import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { listener } from '../kit/events.ts';
import { useGraph } from '../kit/graph.ts';
import { deliver, instagramEntry, type MetaChannel, metaChannel, onlyChat } from '../kit/meta-channel.ts';
import { outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const graph = await useGraph();
const IGSID = '200000000000001';
const DAY = 24 * 3600_000;
const START = server.clock.now();

let tenant: TestTenant;
let channel: MetaChannel;
let mids = 0;
beforeEach(async () => {
  server.clock.set(START);
  graph.taken.length = 0;
  graph.requests.length = 0;
  graph.profiles.clear();
  tenant = await server.tenant();
  channel = await metaChannel(tenant, graph, 'instagram');
});

const now = (): number => server.clock.now().getTime();
const write = (message: object, list = 'messaging', from = IGSID) => {
  mids += 1;
  const element = { message: { mid: `mid-${tenant.id}-${mids}`, ...message } };
  return deliver(server, channel, instagramEntry(graph, from, now(), element, list));
};
const comment = (more: object = {}) => {
  mids += 1;
  const value = {
    id: `comment-${tenant.id}-${mids}`,
    from: { id: IGSID, username: 'ada' },
    media: { id: '179', media_product_type: 'FEED' },
    text: 'How much?',
    ...more,
  };
  const entry = {
    id: graph.accountId,
    time: Math.floor(now() / 1000),
    changes: [{ field: 'comments', value }],
  };
  return deliver(server, channel, { object: 'instagram', entry: [entry] });
};
const messages = async () =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)' })).body.data;
const contact = async () => (await tenant.post('/v3/contacts/search', {})).body.data[0];
const reply = async (body: object) => {
  const { id } = await onlyChat(tenant);
  const answer = await tenant.post(`/v3/chats/${id}/messages`, body);
  await server.settle();
  return answer;
};
const profileCalls = () => graph.requests.filter(({ path, method }) => method === 'GET' && path === IGSID);

describe('the profile of a contact', () => {
  const profile = { name: 'Ada Lovelace', username: 'ada', profile_pic: 'https://cdn.example/a.jpg?x=1' };

  it('is fetched when somebody new writes, and fills the name', async () => {
    graph.profiles.set(IGSID, profile);
    const hear = listener(server, tenant);
    await hear();
    await write({ text: 'hello' });
    const extra = { name: 'Ada Lovelace', username: 'ada', pictureUrl: profile.profile_pic };
    expect(await contact()).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', handles: [{ extra }] });
    expect(profileCalls()).toMatchObject([{ query: { fields: 'name,username,profile_pic' } }]);
    const types = (await hear()).map(({ type }: { type: string }) => type);
    expect(types).toContain('contact.updated');
    expect((await tenant.post('/v3/contacts/search', { search: 'lovelace' })).body.data).toHaveLength(1);
  });

  it('is asked again only after two days, when the contact writes', async () => {
    graph.profiles.set(IGSID, profile);
    await write({ text: 'a' });
    await write({ text: 'b' });
    expect(profileCalls()).toHaveLength(1);
    server.clock.advance(2 * DAY + 1);
    graph.profiles.set(IGSID, { ...profile, profile_pic: 'https://cdn.example/a.jpg?x=2' });
    await write({ text: 'c' });
    expect(profileCalls()).toHaveLength(2);
    expect((await contact()).handles[0].extra.pictureUrl).toBe('https://cdn.example/a.jpg?x=2');
  });

  it('never changes a name that is set', async () => {
    await write({ text: 'a' });
    const { id } = await contact();
    await tenant.put(`/v3/contacts/${id}`, { firstName: 'Countess' });
    graph.profiles.set(IGSID, profile);
    server.clock.advance(3 * DAY);
    await write({ text: 'b' });
    expect(await contact()).toMatchObject({
      firstName: 'Countess',
      lastName: null,
      handles: [{ extra: { name: 'Ada Lovelace' } }],
    });
  });

  it('that nobody may see changes nothing; one that fails for a while is asked for later', async () => {
    await write({ text: 'a' });
    expect(await contact()).toMatchObject({ fullName: '', displayName: IGSID });
    const other = '200000000000002';
    graph.trouble({ status: 500, code: 2, message: 'Service temporarily unavailable' });
    await write({ text: 'b' }, 'messaging', other);
    graph.profiles.set(other, profile);
    server.clock.advance(31_000);
    await server.settle();
    const { body } = await tenant.post('/v3/contacts/search', { search: 'lovelace' });
    expect(body.data).toMatchObject([{ handles: [{ value: other }] }]);
  });

  it('has a bound', async () => {
    graph.profiles.set(IGSID, {
      name: `a${'\u0000'}${'b'.repeat(5000)}`,
      profile_pic: `https://a.example/${'c'.repeat(5000)}`,
    });
    await write({ text: 'a' });
    const { fullName, handles } = await contact();
    expect(fullName.length).toBeLessThanOrEqual(255);
    expect(handles[0].extra).not.toHaveProperty('pictureUrl');
  });
});

describe('a message on standby', () => {
  it('is stored and shown, and no automation answers it', async () => {
    const trigger = { type: 'message_received', parameters: { channelId: channel.id } };
    const steps = [{ id: 'send', type: 'send_message', parameters: { text: 'Hi' } }];
    await automationOf(tenant, { trigger, steps });
    await write({ text: 'hello' }, 'standby');
    expect(await messages()).toMatchObject([{ text: 'hello', content: { isStandby: true } }]);
    expect(graph.taken).toEqual([]);
    await write({ text: 'and you?' });
    expect(graph.taken).toHaveLength(1);
  });
});

describe('what is kept of a message', () => {
  it('the story that it replies to', async () => {
    await write({ text: 'Nice', reply_to: { story: { id: '1790', url: 'https://cdn.example/story.jpg' } } });
    expect(await messages()).toMatchObject([
      {
        type: 'story_reply',
        text: 'Nice',
        content: { storyId: '1790', url: 'https://cdn.example/story.jpg' },
      },
    ]);
  });

  it('the advertisement by which the customer came', async () => {
    await write({
      text: 'Is it there?',
      referral: {
        ref: 'spring',
        ad_id: '6045246247433',
        source: 'ADS',
        type: 'OPEN_THREAD',
        ads_context_data: { ad_title: 'Hats', photo_url: 'https://cdn.example/ad.jpg', post_id: '77' },
      },
    });
    expect((await messages())[0].content.referral).toEqual({
      id: '6045246247433',
      type: 'ADS',
      ref: 'spring',
      headline: 'Hats',
      url: 'https://cdn.example/ad.jpg',
      postId: '77',
      productId: null,
    });
  });

  it('a shared post once', async () => {
    const url = graph.publicUrl('7');
    graph.files.set('7', { bytes: Buffer.from('png'), mimeType: 'image/png', filename: 'a.png' });
    await write({
      attachments: [
        { type: 'share', payload: { url } },
        { type: 'ig_post', payload: { url, title: 'Look' } },
      ],
    });
    const [message] = await messages();
    expect(message.media).toHaveLength(1);
    expect(message.content.share).toEqual({ type: 'ig_post', title: 'Look' });
  });

  it('a reaction without an emoji, which is not a removal', async () => {
    await write({ text: 'hello' });
    const [{ vendorId: mid }] = await messages();
    const react = async (reaction: object) => {
      server.clock.advance(1000);
      await deliver(server, channel, instagramEntry(graph, IGSID, now(), { reaction: { mid, ...reaction } }));
      return (await messages()).at(-1).content;
    };
    expect(await react({ action: 'react' })).toMatchObject({ emoji: '❤️' });
    expect(await react({ action: 'react', reaction: 'wow' })).toMatchObject({ emoji: '😮' });
    expect(await react({ action: 'unreact' })).toMatchObject({ emoji: null });
  });
});

describe('a comment', () => {
  it('is a message of its author and opens no window', async () => {
    await comment();
    expect(await messages()).toMatchObject([
      {
        type: 'comment',
        text: 'How much?',
        sender: 'inbound',
        content: { mediaId: '179', mediaType: 'FEED', parentId: null, username: 'ada' },
      },
    ]);
    expect(await onlyChat(tenant)).toMatchObject({ openUntil: null, isUnread: true });
    expect((await contact()).fullName).toBe('ada');
    expect((await reply({ text: 'Hello' })).status).toBe(409);
  });

  it('gets one private answer, within a week', async () => {
    await comment();
    const [{ id, vendorId }] = await messages();
    server.clock.advance(6 * DAY);
    expect((await reply({ text: '10 €', replyToMessageId: id })).status).toBe(200);
    expect(graph.taken).toEqual([{ recipient: { comment_id: vendorId }, message: { text: '10 €' } }]);
    const again = await reply({ text: 'Or 9 €', replyToMessageId: id });
    expect([again.status, again.body.error.message]).toEqual([409, expect.stringContaining('already')]);
    server.clock.set(START);
    await comment({ id: `late-${tenant.id}` });
    const late = (await messages()).at(-1);
    server.clock.advance(8 * DAY);
    expect((await reply({ text: 'Late', replyToMessageId: late.id })).status).toBe(409);
  });

  it('is answered in private by the automation that it starts', async () => {
    const trigger = { type: 'message_received', parameters: { channelId: channel.id, keywords: ['price'] } };
    const steps = [{ id: 'send', type: 'send_message', parameters: { text: 'It is 10 €' } }];
    await automationOf(tenant, { trigger, steps });
    await comment({ text: 'price' });
    const [{ vendorId }] = await messages();
    expect(graph.taken).toEqual([{ recipient: { comment_id: vendorId }, message: { text: 'It is 10 €' } }]);
  });

  it('is answered by a step that names another message, as that one', async () => {
    await comment();
    const [first] = await messages();
    const trigger = { type: 'message_received', parameters: { channelId: channel.id, keywords: ['price'] } };
    const parameters = { text: 'It is 10 €', replyToMessageId: first.id };
    await automationOf(tenant, { trigger, steps: [{ id: 'send', type: 'send_message', parameters }] });
    await comment({ id: `second-${tenant.id}`, text: 'price' });
    expect(graph.taken).toEqual([
      { recipient: { comment_id: first.vendorId }, message: { text: 'It is 10 €' } },
    ]);
  });

  it('that says STOP unsubscribes nobody, and those of the business itself are ignored', async () => {
    await comment({ text: 'Stop' });
    expect((await contact()).isSubscribed).toBe(true);
    await comment({ from: { id: graph.accountId, username: 'shop' } });
    expect(await messages()).toHaveLength(1);
  });

  it('without an author or an id is listed as failed and stops nothing', async () => {
    await comment({ from: {} });
    await write({ text: 'hello' });
    expect((await messages()).map(({ text }: { text: string }) => text)).toEqual(['hello']);
  });

  it('can be written in the sandbox', async () => {
    const sandbox = await tenant.channel('instagram');
    const body = {
      from: '17841400000002345',
      name: 'ada',
      type: 'comment',
      text: 'Nice',
      content: { mediaId: '5' },
    };
    expect((await tenant.post(`/v3/sandbox/${sandbox.id}/inbound`, body)).status).toBe(200);
    await server.settle();
    const [message] = await messages();
    expect(message).toMatchObject({
      type: 'comment',
      text: 'Nice',
      content: { mediaId: '5', username: 'ada' },
    });
    expect((await reply({ text: 'Thanks', replyToMessageId: message.id })).status).toBe(200);
    expect(await outboxOf(tenant, sandbox)).toMatchObject([
      { text: 'Thanks', content: { replyTo: message.vendorId } },
    ]);
  });
});

describe('a request with elements that make no sense', () => {
  it('loses none of the others, and is listed once with the reasons', async () => {
    const sides = { sender: { id: IGSID }, recipient: { id: graph.accountId }, timestamp: now() };
    const said = (mid: string, more: object = {}) => ({ ...sides, message: { mid, text: mid }, ...more });
    const author = { id: IGSID, username: 'ada' };
    const remark = (id: string, more: object = {}) => ({
      field: 'comments',
      value: { id, from: author, text: id, ...more },
    });
    await deliver(server, channel, {
      object: 'instagram',
      entry: [
        {
          id: graph.accountId,
          time: Math.floor(now() / 1000),
          messaging: [
            said('one'),
            said('no time', { timestamp: 'yesterday' }),
            said('from nobody', { sender: {} }),
            { ...sides, message: { text: 'no id' } },
            null,
            { ...sides, read: { watermark: {} } },
            { ...sides, reaction: { id: 'reacted', mid: 'one', reaction: 'constructor' } },
            said('two'),
          ],
          standby: [said('three', { timestamp: null }), said('four')],
          changes: [remark('five', { from: null }), remark('six')],
        },
      ],
    });
    const stored = async () => (await messages()).map(({ text }: { text: string | null }) => text).sort();
    const good = ['four', null, 'one', 'six', 'two'].sort();
    expect(await stored()).toEqual(good);
    for (let times = 0; times < 6; times += 1) {
      server.clock.advance(60_000);
      await server.settle();
    }
    expect(await stored()).toEqual(good);
    const path = `/v3/channels/${channel.id}/failed_requests/search`;
    const { data } = (await tenant.post(path, {})).body;
    expect(data).toMatchObject([
      { error: expect.stringMatching(/invalid time.*of a sender without an id.*a message without an id/) },
    ]);
    const reactions = (await messages()).filter(({ type }: { type: string }) => type === 'reaction');
    expect(reactions).toMatchObject([{ content: { emoji: '❤️' } }]);
  });
});
