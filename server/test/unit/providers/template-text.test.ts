import { expect, it } from 'vitest';
import { templateText } from '../../../src/providers/template-text.ts';

it('a template is text with its links and numbers, where the vendor has no templates', () => {
  expect(
    templateText({
      name: 'order',
      language: 'en',
      vendorId: null,
      header: { type: 'text', text: 'Order {{number}}', url: null },
      body: 'Hello {{name}}, your order is on its way.',
      footer: 'Parley Shop',
      buttons: [
        { type: 'url', text: 'Track it', url: 'https://shop.example/orders/{{number}}', phoneNumber: null },
        { type: 'phone_number', text: 'Call us', url: null, phoneNumber: '+15550009999' },
        { type: 'quick_reply', text: 'Thanks', url: null, phoneNumber: null },
      ],
      variables: { number: 'A/7 8', name: 'Ada' },
    }),
  ).toBe(
    [
      'Order A/7 8',
      'Hello Ada, your order is on its way.',
      'Track it: https://shop.example/orders/A%2F7%208\nCall us: +15550009999',
      'Parley Shop',
    ].join('\n\n'),
  );
});
