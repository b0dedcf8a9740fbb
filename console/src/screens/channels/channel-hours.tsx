import { type Channel, updateChannel } from '@parley/sdk';
import { client, useWrite } from '../../api/api.ts';
import type { Hours } from '../../hours/draft.ts';
import { HoursEditor } from '../../hours/hours-editor.tsx';
import { CHANNELS_KEY } from './data.ts';
import styles from './setup.module.css';

/** Hours of a channel that differ from those of the tenant. */
export function ChannelHours({ channel }: { channel: Channel }) {
  const save = useWrite((body: Hours) => updateChannel(client, { path: { channelId: channel.id }, body }), {
    invalidates: [CHANNELS_KEY, ['hours']],
    done: 'saved',
    showsError: true,
  });
  return (
    <div className={styles.hours}>
      <HoursEditor hours={channel} channelId={channel.id} canWrite save={save} />
    </div>
  );
}
