import { describe, expect, it } from 'vitest';
import { bodiesOf } from '../../../../console/src/screens/inbox/message-bodies.ts';

const fileOf = (name: string, type: string): File => new File(['x'], name, { type });
const photo = fileOf('bike.png', 'image/png');
const sound = fileOf('bell.ogg', 'audio/ogg');

describe('what a written reply is sent as', () => {
  it('is one message without files', () => {
    expect(bodiesOf({ text: 'Hello', files: [] }, false)).toEqual([[{ text: 'Hello' }, []]]);
  });

  it('has the text below the first picture, and a message for each other file', () => {
    expect(bodiesOf({ text: 'Look', files: [photo, sound] }, false)).toEqual([
      [{ text: 'Look' }, [photo]],
      [{}, [sound]],
    ]);
  });

  it('has the text in a message of its own before a file that takes none', () => {
    expect(bodiesOf({ text: 'Listen', files: [sound] }, false)).toEqual([
      [{ text: 'Listen' }, []],
      [{}, [sound]],
    ]);
  });

  it('is one mail with all files', () => {
    expect(bodiesOf({ text: 'Both', files: [photo, sound] }, true)).toEqual([
      [{ text: 'Both' }, [photo, sound]],
    ]);
  });

  it('answers the chosen message with the first one only, and waits with all of them', () => {
    const at = new Date('2026-11-20T09:00:00Z');
    const written = { text: 'Look', files: [photo, sound], replyToMessageId: 'm1', at };
    expect(bodiesOf(written, false)).toEqual([
      [{ text: 'Look', replyToMessageId: 'm1', scheduledAt: '2026-11-20T09:00:00.000Z' }, [photo]],
      [{ scheduledAt: '2026-11-20T09:00:00.000Z' }, [sound]],
    ]);
  });
});
