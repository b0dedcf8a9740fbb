export const CHANNELS_KEY = ['channels'];
