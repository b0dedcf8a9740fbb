import type { Keys } from '../base/crypto.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import type { ChannelConfig } from '../providers/adapter-channel.ts';

const CONFIG = 'channels.config';

export const encryptedConfig: EncryptedColumn = {
  table: 'channels',
  column: 'config_encrypted',
  key: [
    ['id', 'uuid'],
    ['tenant_id', 'uuid'],
  ],
  purpose: CONFIG,
};

export const encryptConfig = (config: ChannelConfig, keys: Keys): Buffer =>
  keys.encrypt(JSON.stringify(config), CONFIG);
export const decryptConfig = (encrypted: Buffer, keys: Keys): ChannelConfig =>
  JSON.parse(keys.decrypt(encrypted, CONFIG)) as ChannelConfig;
