import type { Release } from '@/lib/api/types'

/** What the releases add up to. */
export interface ReleaseStats {
  totalDownloads: number
  /** Those that somebody is offered, on whatever channel. */
  available: number
}

export function releaseStats(releases: readonly Release[]): ReleaseStats {
  return {
    totalDownloads: releases.reduce((sum, release) => sum + release.downloadCount, 0),
    available: releases.filter(({ isAvailable }) => isAvailable).length,
  }
}
