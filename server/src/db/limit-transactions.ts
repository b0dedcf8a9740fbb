import { ApiError } from '../base/errors.ts';
import { fairPlaces } from '../base/fair-places.ts';

interface TransactionLimits {
  connections: number;
  perTenant: number;
  maxWaitMs: number;
}

/** Far more than clients send at once. */
const MAX_WAITING = 1_000;

const tooMany = (): ApiError =>
  new ApiError('service_unavailable', {
    detail: 'too many changes of this tenant wait for each other; send fewer at the same time, and try again',
  });

/** Runs transactions so that those which wait for locks of their tenant do not keep all connections from other tenants. */
export function limitTransactions({ connections, perTenant, maxWaitMs }: TransactionLimits) {
  const places = fairPlaces({
    places: connections,
    perKey: perTenant,
    maxWaitMs,
    maxWaiting: MAX_WAITING,
    refuse: tooMany,
  });
  return <T>(tenantId: string, work: () => Promise<T>): Promise<T> => places.run(tenantId, work);
}
