import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';

const server = await useServer();

describe('an attribute of version 2', () => {
  it('is created as text, listed and deleted, and is the same attribute in version 3', async () => {
    const tenant = await server.tenant();
    const made = await tenant.post('/v2/attributes', {
      name: 'Shoe size',
      externalId: 'shoeSize',
      type: 'number',
      isVisibleQuickEdit: true,
    });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      success: true,
      data: {
        id: made.body.data.id,
        name: 'Shoe size',
        type: 'text',
        externalId: 'shoeSize',
        isVisibleQuickEdit: true,
        isVisibleContactsTable: false,
        isVisibleContactCreate: false,
        createdAt: '2026-11-15T01:02:03.456Z',
        updatedAt: '2026-11-15T01:02:03.456Z',
      },
    });
    const today = await tenant.post('/v3/attributes/search', {});
    expect(today.body.data).toEqual([{ ...made.body.data, options: [], description: null }]);
    expect((await tenant.get('/v2/attributes')).body.data).toEqual([made.body.data]);
    const gone = await tenant.delete(`/v2/attributes/${made.body.data.id}`);
    expect(gone.body).toEqual({
      success: true,
      data: { deletedIds: [made.body.data.id], notFoundIds: [] },
    });
    expect((await tenant.get('/v2/attributes')).body.data).toEqual([]);
    const again = await tenant.delete(`/v2/attributes/${made.body.data.id}`);
    expect(again.body.data).toEqual({ deletedIds: [], notFoundIds: [made.body.data.id] });
  });

  it('has a description only if there is one', async () => {
    const tenant = await server.tenant();
    const make = async (externalId: string, description?: string | null) =>
      (await tenant.post('/v2/attributes', { name: 'x', externalId, description })).body.data;
    expect(await make('a', 'In EU sizes')).toMatchObject({ description: 'In EU sizes' });
    for (const none of [await make('b', null), await make('c')])
      expect(none).not.toHaveProperty('description');
  });

  it('is listed with all others, the oldest first, of every type', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/attributes', { name: 'n', externalId: 'first', type: 'number' });
    for (let number = 0; number < 120; number += 1)
      await tenant.post('/v2/attributes', { name: 'n', externalId: `n${number}` });
    const { data } = (await tenant.get('/v2/attributes')).body;
    expect(data).toHaveLength(121);
    expect(data[0]).toMatchObject({ externalId: 'first', type: 'number' });
    expect(data[120].externalId).toBe('n119');
  });

  it('is refused with every issue at its parameter', async () => {
    const tenant = await server.tenant();
    const { status, body } = await tenant.post('/v2/attributes', {
      externalId: '1 bad',
      description: 5,
      isVisibleContactCreate: 'yes',
    });
    expect([status, body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(body.error.invalidParams).toMatchObject({
      name: { key: 'invalid_type', message: 'Required' },
      externalId: { key: 'invalid_string' },
      description: { key: 'invalid_type' },
      isVisibleContactCreate: { key: 'invalid_type' },
    });
    await tenant.post('/v3/attributes', { name: 'x', externalId: 'taken' });
    const taken = await tenant.post('/v2/attributes', { name: 'x', externalId: 'taken' });
    expect(taken.body.error.invalidParams.externalId.key).toBe('custom');
  });

  it('created again with the same Idempotency-Key is the same', async () => {
    const tenant = await server.tenant();
    const make = () =>
      tenant.post(
        '/v2/attributes',
        { name: 'x', externalId: 'once' },
        { headers: { 'idempotency-key': 'k' } },
      );
    const [first, second] = [await make(), await make()];
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
  });
});
