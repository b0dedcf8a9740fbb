import type { ChannelKind } from '../providers/kinds.ts';

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

/** What is known about contacts besides their names and numbers. */
export const demoAttributes = [
  { name: 'Bicycle', externalId: 'bicycle' },
  { name: 'Frame size', externalId: 'frame_size', type: 'select' as const, options: ['S', 'M', 'L'] },
];

/** Contacts that exist from the start. Other customers become contacts when they write. */
export const demoContacts = [
  {
    firstName: 'Mina',
    lastName: 'Park',
    phoneNumber: '+12025550161',
    email: 'mina@example.com',
    language: 'en',
    labels: ['Customer'],
    attributes: [
      { externalId: 'bicycle', value: 'City, blue' },
      { externalId: 'frame_size', value: 'M' },
    ],
  },
  {
    firstName: 'Jonas',
    lastName: 'Weber',
    phoneNumber: '+12025550162',
    language: 'de',
    labels: ['Customer', 'Repairs'],
    attributes: [{ externalId: 'bicycle', value: 'Touring, green' }],
  },
  { firstName: 'Amara', lastName: 'Okafor', email: 'amara@example.com', labels: ['Customer'] },
  { firstName: 'Leo', lastName: 'Rossi', phoneNumber: '+12025550163', labels: ['Urgent'] },
];

/** The people of the shop. They cannot log in: somebody would have to invite them. */
export const demoColleagues = {
  noor: { name: 'Noor Haddad', email: 'noor@example.com', role: 'agent' },
  sam: { name: 'Sam Rivera', email: 'sam@example.com', role: 'agent' },
} as const;
export type DemoColleague = keyof typeof demoColleagues;

export const demoTeam = 'Workshop';

export const demoSavedReplies = [
  { shortcut: 'hours', text: 'We are open from Tuesday to Saturday, ten to six.' },
  {
    shortcut: 'ready',
    text: "Hello {{ contact.firstName | default: 'there' }}, your bike is ready. Come by whenever you like!",
  },
  {
    shortcut: 'sorry',
    text: "I am sorry about that, {{ contact.firstName | default: 'there' }}. I am looking into it and write again today.\n\n{{ user.name }}",
  },
];

interface Line {
  /** How long before the first start it was written. */
  minutesAgo: number;
  text: string;
  /** With the picture of the demo. */
  hasPicture?: boolean;
}

export interface DemoConversation {
  kind: ChannelKind;
  from: string;
  name: string;
  lines: Line[];
  /** The reply of the shop; some conversations have none yet. */
  reply?: { by: DemoColleague; text: string };
  notes?: { by: DemoColleague; text: string; mentions?: DemoColleague[] }[];
  assignedTo?: DemoColleague | 'team';
  snoozedForHours?: number;
  isClosed?: boolean;
}

export const demoConversations: DemoConversation[] = [
  {
    kind: 'whatsapp',
    from: '+12025550161',
    name: 'Mina Park',
    lines: [
      { minutesAgo: 95, text: 'Hi! Do you have the blue city bike in size M?' },
      { minutesAgo: 93, text: 'And could I try it on Saturday?' },
    ],
    reply: {
      by: 'noor',
      text: 'Hi Mina! Yes, one is left in M. We have put it aside for you – Saturday from ten?',
    },
    notes: [{ by: 'noor', text: 'It stands in the back room, with a tag.' }],
    assignedTo: 'noor',
  },
  {
    kind: 'whatsapp',
    from: '+12025550163',
    name: 'Leo Rossi',
    lines: [{ minutesAgo: 12, text: 'My order says delivered, but nothing came.' }],
  },
  {
    // The sandbox delivers nothing to numbers with this end.
    kind: 'whatsapp',
    from: '+12025550001',
    name: 'Priya Nair',
    lines: [{ minutesAgo: 70, text: 'Could you send me the tracking number again?' }],
    reply: { by: 'sam', text: 'Of course: it is B-2040-77.' },
  },
  {
    kind: 'sms',
    from: '+12025550162',
    name: 'Jonas Weber',
    lines: [
      { minutesAgo: 26 * 60, text: 'Is my bike ready for pick-up?' },
      { minutesAgo: 40, text: 'I could come by at five.' },
    ],
    reply: { by: 'sam', text: 'It is ready, Jonas. Five is fine, see you then!' },
    assignedTo: 'sam',
    snoozedForHours: 20,
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
    reply: {
      by: 'noor',
      text: 'Good morning Amara,\n\nof course: you will have it within the hour.\n\nYour bicycle shop',
    },
    isClosed: true,
  },
  {
    kind: 'email',
    from: 'mina@example.com',
    name: 'Mina Park',
    lines: [{ minutesAgo: 50, text: 'One more thing about Saturday: may I bring my dog?' }],
    notes: [{ by: 'noor', text: '@Sam Rivera is that all right with you?', mentions: ['sam'] }],
  },
  {
    kind: 'instagram',
    from: '17841400000000001',
    name: 'ride.with.sol',
    lines: [
      { minutesAgo: 8, text: 'Look what I saw at your shop today', hasPicture: true },
      { minutesAgo: 7, text: 'That cargo bike – how much is it?' },
    ],
    assignedTo: 'team',
  },
];

/** Somebody who writes when the automation is on already: it answers. */
export const demoNewcomer: DemoConversation = {
  kind: 'whatsapp',
  from: '+12025550164',
  name: 'Tom Becker',
  lines: [{ minutesAgo: 0, text: 'Hello, anybody there?' }],
};

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
