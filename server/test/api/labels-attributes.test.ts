import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';

const server = await useServer();

const fiftyTimes = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 50 }, make));

describe('a label', () => {
  it('is created, updated, found and deleted', async () => {
    const tenant = await server.tenant();
    const made = await tenant.post('/v3/labels', { name: 'VIP', color: '#0f766e' });
    expect(made.body.data).toMatchObject({ name: 'VIP', color: '#0f766e' });
    const changed = await tenant.put(`/v3/labels/${made.body.data.id}`, { color: null });
    expect(changed.body.data).toMatchObject({ name: 'VIP', color: null });
    const found = await tenant.post('/v3/labels/search', { search: 'vi' });
    expect(found.body.data).toEqual([changed.body.data]);
    const gone = await tenant.delete(`/v3/labels/${made.body.data.id}`);
    expect(gone.body.data).toEqual({ deletedIds: [made.body.data.id], notFoundIds: [] });
    const again = await tenant.put(`/v3/labels/${made.body.data.id}`, { name: 'VIP' });
    expect(again.body.error.messageKey).toBe('label_not_found');
  });

  it('has a unique name, which is not case-sensitive', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/labels', { name: 'VIP' });
    const other = await tenant.post('/v3/labels', { name: 'Other' });
    const taken = { name: { key: 'custom', message: 'There is already a label "vip"' } };
    expect((await tenant.post('/v3/labels', { name: 'vip' })).body.error.invalidParams).toEqual(taken);
    const renamed = await tenant.put(`/v3/labels/${other.body.data.id}`, { name: 'vip' });
    expect(renamed.body.error.invalidParams).toEqual(taken);
    expect((await server.tenant().then((one) => one.post('/v3/labels', { name: 'VIP' }))).status).toBe(200);
  });

  it('created 50 times at once is one', async () => {
    const tenant = await server.tenant();
    const answers = await fiftyTimes(() => tenant.post('/v3/labels', { name: 'Rush' }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error?.invalidParams?.name?.key === 'custom')).toHaveLength(49);
    expect((await tenant.post('/v3/labels/search', {})).body.pagination.total).toBe(1);
  });
});

describe('an attribute', () => {
  it('is created with defaults, updated, found and deleted', async () => {
    const tenant = await server.tenant();
    const made = await tenant.post('/v3/attributes', { name: 'Shoe size', externalId: 'shoeSize' });
    expect(made.body.data).toMatchObject({
      externalId: 'shoeSize',
      type: 'text',
      options: [],
      description: null,
      isVisibleQuickEdit: false,
      isVisibleContactsTable: false,
      isVisibleContactCreate: false,
    });
    const path = `/v3/attributes/${made.body.data.id}`;
    const changed = await tenant.put(path, { name: 'Size', externalId: 'other', isVisibleQuickEdit: true });
    expect(changed.body.data).toMatchObject({
      name: 'Size',
      externalId: 'shoeSize',
      isVisibleQuickEdit: true,
    });
    const found = await tenant.post('/v3/attributes/search', { query: 'eq(externalId,"shoeSize")' });
    expect(found.body.data).toEqual([changed.body.data]);
    expect((await tenant.delete(path)).body.data.deletedIds).toEqual([made.body.data.id]);
    expect((await tenant.put(path, { name: 'Size' })).body.error.messageKey).toBe('attribute_not_found');
  });

  it.each(['1abc', 'a b', 'ä', '', '_a'])('cannot have the externalId %j', async (externalId) => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/attributes', { name: 'x', externalId });
    expect(body.error.invalidParams.externalId.key).toBe('invalid_string');
  });

  it('has options if and only if it is a select', async () => {
    const tenant = await server.tenant();
    const post = async (more: object) =>
      (await tenant.post('/v3/attributes', { name: 'x', externalId: 'x', ...more })).body;
    expect((await post({ type: 'select' })).error.invalidParams.options.key).toBe('too_small');
    expect((await post({ type: 'number', options: ['a'] })).error.invalidParams.options.key).toBe('custom');
    const made = await post({ type: 'select', options: ['a', 'b'] });
    expect(made.data.options).toEqual(['a', 'b']);
    const both = (await post({ type: 'select' })).error.invalidParams;
    expect(Object.keys(both).sort()).toEqual(['externalId', 'options']);
    const emptied = await tenant.put(`/v3/attributes/${made.data.id}`, { options: [] });
    expect(emptied.body.error.invalidParams.options.key).toBe('too_small');
  });

  it('created 50 times at once is one', async () => {
    const tenant = await server.tenant();
    const answers = await fiftyTimes(() => tenant.post('/v3/attributes', { name: 'x', externalId: 'rush' }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(
      answers.filter(({ body }) => body.error?.invalidParams?.externalId?.key === 'custom'),
    ).toHaveLength(49);
  });
});
