import { describe, expect, it } from 'vitest';
import { compileProgram } from '../../../../src/automations/runs/program.ts';
import type { Definition } from '../../../../src/automations/schema.ts';

const usesChat = (text: string): boolean =>
  compileProgram({
    trigger: { type: 'api', parameters: {} },
    variables: [],
    steps: [{ id: 'hello', type: 'send_message', parameters: { text } }],
  } as unknown as Definition).usesChat;

describe('a program', () => {
  it.each([
    'Hello',
    '{{ contact.firstName | upcase }}, {{contact.lastName}}',
    '{{ message.text }}',
  ])('with "%s" does not use the chat', (text) => expect(usesChat(text)).toBe(false));

  it.each([
    '{{ chat.status }}',
    '{{ chat | json }}',
    '{{ contact.chats.size }}',
    '{{ contact . chats.size }}',
    '{{ contact["chats"] | size }}',
    '{{ contact | json }}',
    '{{contact}}',
    '{% assign who = contact %}{{ who | json }}',
    '{% for part in contact %}{{ part }}{% endfor %}',
  ])('with "%s" may use the chat', (text) => expect(usesChat(text)).toBe(true));
});
