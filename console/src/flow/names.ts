import {
  searchAttributes,
  searchChannels,
  searchLabels,
  searchMessageTemplates,
  searchTeams,
  searchUsers,
} from '@parley/sdk';
import { useMemo } from 'react';
import { useAll } from '../api/lists.ts';
import { useScope } from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';

type Named = readonly { id: string; name: string }[];

/** The names of what definitions refer to. What was deleted, or may not be read, has a name that says so. */
export interface FlowNames {
  label(id: unknown): string;
  channel(id: unknown): string;
  user(id: unknown): string;
  team(id: unknown): string;
  template(id: unknown): string;
  attribute(externalId: unknown): string;
}

/** Everything that a definition can refer to, for names and for choosing. */
export function useReferences() {
  const canReadUsers = useScope('users:read');
  const canReadAttributes = useScope('attributes:read');
  return {
    labels: useAll(['labels'], searchLabels, { enabled: canReadAttributes }).data,
    attributes: useAll(['attributes'], searchAttributes, { enabled: canReadAttributes }).data,
    channels: useAll(['channels'], searchChannels, { enabled: useScope('channels:read') }).data,
    templates: useAll(['message_templates'], searchMessageTemplates, { enabled: useScope('templates:read') })
      .data,
    users: useAll(['users'], searchUsers, { enabled: canReadUsers }).data,
    teams: useAll(['teams'], searchTeams, { enabled: canReadUsers }).data,
  };
}

export function useFlowNames(): FlowNames {
  const t = useText();
  const { labels, attributes, channels, templates, users, teams } = useReferences();
  return useMemo(() => {
    const find =
      (all: Named | undefined) =>
      (id: unknown): string => {
        if (id === undefined || id === '') return t('flow.notChosen');
        // Not read yet: better nothing than something wrong.
        return all ? (all.find((one) => one.id === id)?.name ?? t('flow.deleted')) : '…';
      };
    return {
      label: find(labels),
      channel: find(channels),
      user: find(users),
      team: find(teams),
      template: find(templates),
      attribute: find(attributes?.map(({ externalId, name }) => ({ id: externalId, name }))),
    };
  }, [t, labels, attributes, channels, templates, users, teams]);
}
