/** How many bytes of vendors' requests may be in memory at the same time. */
export interface InFlightLimits {
  processBytes: number;
  addressBytes: number;
}

/** The largest mail has 40 MiB: four of them at once, and two from one address. */
export const IN_FLIGHT_LIMITS: InFlightLimits = {
  processBytes: 160 * 1024 * 1024,
  addressBytes: 80 * 1024 * 1024,
};

export interface BytesInFlight {
  /** The bytes of one request. `add` returns false if they are too many; `release` may be called more than once. */
  open(address: string): { add(bytes: number): boolean; release(): void };
  readonly total: number;
}

/**
 * Counts the bytes that have arrived, not those that were announced: otherwise a few connections that send nothing could
 * reserve everything.
 */
export function bytesInFlight({ processBytes, addressBytes }: InFlightLimits): BytesInFlight {
  const byAddress = new Map<string, number>();
  let total = 0;
  const count = (address: string, bytes: number): void => {
    total += bytes;
    const ofAddress = (byAddress.get(address) ?? 0) + bytes;
    if (ofAddress > 0) byAddress.set(address, ofAddress);
    else byAddress.delete(address);
  };
  return {
    open(address) {
      let held = 0;
      let isReleased = false;
      return {
        add(bytes) {
          // The rest of a request that is already answered is read and dropped.
          if (isReleased) return true;
          held += bytes;
          count(address, bytes);
          return total <= processBytes && (byAddress.get(address) ?? 0) <= addressBytes;
        },
        release() {
          isReleased = true;
          count(address, -held);
          held = 0;
        },
      };
    },
    get total() {
      return total;
    },
  };
}
