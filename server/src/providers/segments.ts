import { SegmentedMessage } from 'sms-segments-calculator';

/** How many SMS a text is charged as: of 160 or 153 characters, or of 70 or 67 where one is not in GSM-7. */
export const segmentsOf = (text: string): number => new SegmentedMessage(text).segmentsCount;
