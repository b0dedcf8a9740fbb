import { describe, expect, it } from 'vitest';
import { storedFilesOf } from '../../../../console/src/screens/inbox/attachment.ts';
import {
  bodiesOf,
  excessWithButtons,
  maxButtonsOn,
} from '../../../../console/src/screens/inbox/message-bodies.ts';

const fileOf = (name: string, type: string): File => new File(['x'], name, { type });
const photo = fileOf('bike.png', 'image/png');
const sound = fileOf('bell.ogg', 'audio/ogg');

describe('what a written reply is sent as', () => {
  it('is one message without files', () => {
    expect(bodiesOf({ text: 'Hello', files: [] }, 'whatsapp')).toEqual([[{ text: 'Hello' }, []]]);
  });

  it('has the text below the first picture, and a message for each other file', () => {
    expect(bodiesOf({ text: 'Look', files: [photo, sound] }, 'whatsapp')).toEqual([
      [{ text: 'Look' }, [photo]],
      [{}, [sound]],
    ]);
  });

  it('has the text in a message of its own before a file that takes none', () => {
    expect(bodiesOf({ text: 'Listen', files: [sound] }, 'whatsapp')).toEqual([
      [{ text: 'Listen' }, []],
      [{}, [sound]],
    ]);
  });

  it('has the text in a message of its own where no file takes one, and where nobody knows yet', () => {
    for (const kind of ['instagram', undefined])
      expect(bodiesOf({ text: 'Look', files: [photo] }, kind)).toEqual([
        [{ text: 'Look' }, []],
        [{}, [photo]],
      ]);
  });

  it('has the text below any file on SMS, unless it is too long for that', () => {
    expect(bodiesOf({ text: 'Listen', files: [sound] }, 'sms')).toEqual([[{ text: 'Listen' }, [sound]]]);
    const table = fileOf('list.csv', 'text/csv');
    expect(bodiesOf({ text: '😀'.repeat(1024), files: [table] }, 'whatsapp')).toHaveLength(1);
    expect(bodiesOf({ text: '😀'.repeat(1025), files: [table] }, 'whatsapp')).toHaveLength(2);
  });

  it('has buttons below the text, after the files', () => {
    const buttons = [
      { id: 'button_1', title: 'Monday' },
      { id: 'button_2', title: 'Tuesday' },
    ];
    const written = { text: 'Which day?', files: [photo], buttons: [' Monday ', '', 'Tuesday', 'Monday'] };
    expect(bodiesOf({ ...written, replyToMessageId: 'm1' }, 'whatsapp')).toEqual([
      [{ replyToMessageId: 'm1' }, [photo]],
      [{ text: 'Which day?', interactive: { buttons } }, []],
    ]);
    expect(bodiesOf({ text: 'Hello', files: [], buttons: [' '] }, 'whatsapp')).toEqual([
      [{ text: 'Hello' }, []],
    ]);
    expect(['whatsapp', 'instagram', 'sms', 'email', undefined].map(maxButtonsOn)).toEqual([3, 13, 0, 0, 0]);
  });

  it('says how much too long a text with buttons is, in characters or bytes as the vendor counts', () => {
    const excess = (text: string, kind: string | undefined, buttons = ['Yes']) =>
      excessWithButtons({ text, buttons }, kind);
    expect([1024, 1025].map((count) => excess('😀'.repeat(count), 'whatsapp'))).toEqual([0, 1]);
    expect(excess(` ${'x'.repeat(1024)} `, 'whatsapp')).toBe(0);
    expect(['x'.repeat(1000), 'ü'.repeat(501)].map((text) => excess(text, 'instagram'))).toEqual([0, 2]);
    expect(excess('x'.repeat(4096), 'whatsapp', [' '])).toBe(0);
    expect(['email', undefined].map((kind) => excess('x'.repeat(4096), kind))).toEqual([0, 0]);
  });

  it('takes a file that the server has like a new one', () => {
    const media = [{ fileId: 'f1', filename: 'bike.png', mimeType: 'image/png', size: 3 }];
    const stored = storedFilesOf(media);
    expect(stored).toEqual([{ fileId: 'f1', name: 'bike.png', type: 'image/png', size: 3 }]);
    expect(bodiesOf({ text: 'Look', files: stored }, 'whatsapp')).toEqual([[{ text: 'Look' }, stored]]);
  });

  it('is one mail with all files', () => {
    expect(bodiesOf({ text: 'Both', files: [photo, sound] }, 'email')).toEqual([
      [{ text: 'Both' }, [photo, sound]],
    ]);
  });

  it('answers the chosen message with the first one only, and waits with all of them', () => {
    const at = new Date('2026-11-20T09:00:00Z');
    const written = { text: 'Look', files: [photo, sound], replyToMessageId: 'm1', at };
    expect(bodiesOf(written, 'whatsapp')).toEqual([
      [{ text: 'Look', replyToMessageId: 'm1', scheduledAt: '2026-11-20T09:00:00.000Z' }, [photo]],
      [{ scheduledAt: '2026-11-20T09:00:00.000Z' }, [sound]],
    ]);
  });
});
