import type { ChannelKind } from '../providers/adapter.ts';

/** The content of the demo tenant: a small bicycle shop. */
export const demoChannels: { kind: ChannelKind; name: string; address: string }[] = [
  { kind: 'whatsapp', name: 'Demo WhatsApp', address: '+15550000000' },
  { kind: 'sms', name: 'Demo SMS', address: '+15550000100' },
  { kind: 'email', name: 'Demo email', address: 'shop@example.com' },
  { kind: 'instagram', name: 'Demo Instagram', address: 'demo_bicycles' },
];

export const demoLabels = [
  { name: 'Customer', color: '#0f766e' },
  { name: 'Repairs', color: '#b45309' },
  { name: 'Urgent', color: '#b91c1c' },
];

/** Contacts that exist from the start. Other customers become contacts when they write. */
export const demoContacts = [
  {
    firstName: 'Mina',
    lastName: 'Park',
    phoneNumber: '+12025550161',
    email: 'mina@example.com',
    labels: ['Customer'],
  },
  { firstName: 'Jonas', lastName: 'Weber', phoneNumber: '+12025550162', labels: ['Customer', 'Repairs'] },
  { firstName: 'Amara', lastName: 'Okafor', email: 'amara@example.com', labels: ['Customer'] },
];

interface Line {
  /** How long before the first start it was written. */
  minutesAgo: number;
  text: string;
}

interface Conversation {
  kind: ChannelKind;
  from: string;
  name: string;
  lines: Line[];
  /** The reply of the shop; some conversations have none yet. */
  reply?: string;
}

export const demoConversations: Conversation[] = [
  {
    kind: 'whatsapp',
    from: '+12025550161',
    name: 'Mina Park',
    lines: [
      { minutesAgo: 95, text: 'Hi! Do you have the blue city bike in size M?' },
      { minutesAgo: 93, text: 'And could I try it on Saturday?' },
    ],
    reply: 'Hi Mina! Yes, one is left in M. We have put it aside for you – Saturday from ten?',
  },
  {
    kind: 'whatsapp',
    from: '+12025550163',
    name: 'Leo Rossi',
    lines: [{ minutesAgo: 12, text: 'My order says delivered, but nothing came 🤔' }],
  },
  {
    kind: 'sms',
    from: '+12025550162',
    name: 'Jonas Weber',
    lines: [
      { minutesAgo: 26 * 60, text: 'Is my bike ready for pick-up?' },
      { minutesAgo: 40, text: 'I could come by at five.' },
    ],
    reply: 'It is ready, Jonas. Five is fine, see you then!',
  },
  {
    kind: 'email',
    from: 'amara@example.com',
    name: 'Amara Okafor',
    lines: [
      {
        minutesAgo: 4 * 60,
        text: 'Good morning,\n\ncould you send me the invoice for order B-2041 again?\n\nKind regards\nAmara Okafor',
      },
    ],
    reply: 'Good morning Amara,\n\nof course: you will have it within the hour.\n\nYour bicycle shop',
  },
  {
    kind: 'email',
    from: 'mina@example.com',
    name: 'Mina Park',
    lines: [{ minutesAgo: 50, text: 'One more thing about Saturday: may I bring my dog?' }],
  },
  {
    kind: 'instagram',
    from: '17841400000000001',
    name: 'ride.with.sol',
    lines: [{ minutesAgo: 7, text: 'That cargo bike in your last post – how much is it?' }],
  },
];

export const demoTemplates: {
  kind: ChannelKind;
  name: string;
  language: string;
  category: 'utility' | 'marketing';
  body: string;
}[] = [
  {
    kind: 'whatsapp',
    name: 'bike_ready',
    language: 'en',
    category: 'utility',
    body: 'Hello {{name}}, your {{bike}} is ready. We are open until {{until}}.',
  },
  {
    kind: 'whatsapp',
    name: 'bike_ready',
    language: 'de',
    category: 'utility',
    body: 'Hallo {{name}}, dein {{bike}} ist fertig. Wir haben bis {{until}} geöffnet.',
  },
  {
    // The sandbox rejects it, so that there is one to look at.
    kind: 'whatsapp',
    name: 'spring_sale_to_reject',
    language: 'en',
    category: 'marketing',
    body: 'BUY NOW {{name}}!!!',
  },
  {
    kind: 'sms',
    name: 'appointment',
    language: 'en',
    category: 'utility',
    body: 'See you {{day}} at {{time}}. Reply STOP to unsubscribe.',
  },
  {
    kind: 'email',
    name: 'invoice',
    language: 'en',
    category: 'utility',
    body: 'Dear {{name}},\n\nthe invoice for order {{order}} is attached.',
  },
];
