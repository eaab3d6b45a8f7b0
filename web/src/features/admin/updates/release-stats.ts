import type { Release } from '@/lib/api/types'

/** What the releases add up to. */
export interface ReleaseStats {
  totalDownloads: number
  available: number
}

export function releaseStats(releases: readonly Release[]): ReleaseStats {
  return {
    totalDownloads: releases.reduce((sum, release) => sum + release.downloadCount, 0),
    available: releases.filter((release) => release.isAvailable).length,
  }
}
