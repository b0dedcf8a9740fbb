import { Type } from 'typebox';
import { data } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { exampleNotification } from './example.ts';
import {
  countUnreadOf,
  notificationFields,
  notificationSource,
  presentNotification,
  readNotifications,
} from './notification.ts';
import { Notification, NotificationsRead, UnreadCount } from './schema.ts';

const TAG = 'Notifications';
const notifications = routeFamily({ tag: TAG, params: Type.Object({}), exampleParams: {} });

export function notificationRoutes(): Route[] {
  return [
    searchRoute({
      path: '/v3/notifications/search',
      operationId: 'searchNotifications',
      tag: TAG,
      noun: 'the own notifications',
      access: 'token',
      searchable: notificationFields,
      source: async (_reader, _params, principal) => notificationSource(principal),
      schema: Notification,
      present: presentNotification,
      more: {
        schema: UnreadCount,
        read: async (reader, principal) => ({ unreadCount: await countUnreadOf(reader, principal) }),
        example: { unreadCount: 1 },
      },
      example: { query: 'eq(isRead,false)', item: exampleNotification },
    }),
    notifications.write(
      {
        method: 'POST',
        path: '/v3/notifications/read',
        operationId: 'readNotifications',
        summary: 'Mark own notifications as read',
        description:
          'Marks the notifications in `ids`, or all of them. Those that are read already, belong to others or are gone are ignored. A token has no notifications.',
        access: 'token',
        body: NotificationsRead,
        answer: data(UnreadCount),
        failures: [],
        example: { body: { all: true }, answer: { unreadCount: 0 } },
      },
      ({ principal, body }, tx) => readNotifications(tx, body, principal),
    ),
  ];
}
